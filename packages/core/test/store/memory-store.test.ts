import { beforeEach, describe, expect, it } from "vitest";
import { MemoryStore } from "../../src/store/memory-store.ts";

describe("a store in memory", () => {
  let store = new MemoryStore();
  beforeEach(() => void (store = new MemoryStore()));

  it("answers at once", () => {
    expect(store.set("a", "1", { ttlMs: 600_000 })).toBe(true);
    expect(store.get("a")).toBe("1");
    const heard: string[] = [];
    store.follow("log", 0, ({ text }) => heard.push(text));
    expect(store.append("log", "x", { most: 1, ttlMs: 600_000 })).toBe(1);
    expect(heard).toEqual(["x"]);
  });

  it("drops the oldest values of whoever has most when all together are too large", () => {
    const kept = { ttlMs: 600_000, principal: "ada" };
    store.set("old", "x", kept);
    const large = "x".repeat(12 * 1024 * 1024);
    for (const key of ["a", "b", "c"]) store.set(key, large, { ttlMs: 600_000 });
    expect([store.get("old"), store.get("a")]).toEqual(["x", undefined]);
    store.delete("b");
    store.set("d", large, kept);
    expect(store.get("c")).toBe(large);
  });

  it("drops what has expired before anything else", async () => {
    const large = "x".repeat(12 * 1024 * 1024);
    for (const principal of ["ada", "bob"]) store.set(principal, large, { ttlMs: 1, principal });
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const key of ["a", "b"]) store.set(key, large, { ttlMs: 600_000, principal: "cyd" });
    expect([store.get("a"), store.get("b")]).toEqual([large, large]);
  });

  it("drops the logs that nobody has written to for longest when all together are too large", () => {
    const limits = { most: 10, ttlMs: 600_000 };
    const half = "x".repeat(64 * 1024 * 1024);
    for (const log of ["a", "b"]) store.append(log, half, limits);
    store.delete("b");
    store.append("c", half, limits);
    expect(store.read("a", 0)).toHaveLength(1);
    store.append("d", "one more", limits);
    expect(store.read("a", 0)).toEqual([]);
    expect([store.read("c", 0), store.read("d", 0)]).toMatchObject([[{ number: 1 }], [{ text: "one more" }]]);
  });
});
