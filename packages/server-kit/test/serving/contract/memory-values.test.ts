import { describe, expect, it } from "vitest";
import { MemoryValues } from "../../../src/serving/contract/memory-values.ts";

const LARGE = "x".repeat(12 * 1024 * 1024);

describe("values in memory", () => {
  it("drops the oldest of whoever has most when all together are too large", () => {
    const values = new MemoryValues(600_000);
    values.set("old", "x", "ada");
    for (const key of ["a", "b", "c"]) values.set(key, LARGE, undefined);
    expect([values.get("old"), values.get("a")]).toEqual(["x", undefined]);
    values.set("b", "small", undefined);
    values.set("d", LARGE, "ada");
    expect(values.get("c")).toBe(LARGE);
  });

  it("drops what has expired before anything else", async () => {
    const values = new MemoryValues(20);
    for (const principal of ["ada", "bob"]) values.set(principal, LARGE, principal);
    await new Promise((resolve) => setTimeout(resolve, 25));
    for (const key of ["a", "b"]) values.set(key, LARGE, "cyd");
    expect([values.get("ada"), values.get("a"), values.get("b")]).toEqual([undefined, LARGE, LARGE]);
  });
});
