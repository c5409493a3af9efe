import { StoreUnavailable } from "@suite/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { Follower } from "../src/follower.ts";
import { MemoryStore } from "../src/memory-store.ts";

const LIMITS = { most: 100, ttlMs: 600_000 };

/** A follower, what it told, and the log that it follows. */
function follow(after = 0): { follower: Follower; told: string[]; append: (text: string) => string } {
  const store = new MemoryStore();
  const told: string[] = [];
  const follower = new Follower(store, "log", after, ({ number, text }) => told.push(`${number} ${text}`));
  return { follower, told, append: (text) => `${store.append("log", text, LIMITS)} ${text}` };
}

describe("a follower", () => {
  it("tells what it hears at once, if that is the next", () => {
    const { follower, told, append } = follow();
    follower.on(append("a"));
    follower.on(append("b and c"));
    expect(told).toEqual(["1 a", "2 b and c"]);
  });

  it("reads what it did not hear, and tells nothing twice", async () => {
    const { follower, told, append } = follow();
    append("a");
    const second = append("b");
    follower.on(second);
    follower.on(append("c"));
    await expect.poll(() => told).toEqual(["1 a", "2 b", "3 c"]);
    follower.on(second);
    follower.on(append("d"));
    await expect.poll(() => told).toEqual(["1 a", "2 b", "3 c", "4 d"]);
  });

  it("begins after what was told before", async () => {
    const { follower, told, append } = follow(1);
    append("a");
    append("b");
    follower.catchUp();
    await expect.poll(() => told).toEqual(["2 b"]);
  });

  it("begins anew with a log that does", async () => {
    const { follower, told, append } = follow(7);
    follower.on(append("a"));
    await expect.poll(() => told).toEqual(["1 a"]);
  });

  it("reads again by itself what could not be read, until it is stopped", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new MemoryStore();
    let isAway = true;
    const last = (log: string): number => {
      if (isAway) throw new StoreUnavailable();
      return store.last(log);
    };
    const told: string[] = [];
    const source = { last, read: store.read.bind(store) };
    const follower = new Follower(source, "log", 0, ({ text }) => told.push(text));
    store.append("log", "a", LIMITS);
    follower.catchUp();
    follower.catchUp();
    expect(vi.getTimerCount()).toBe(1);
    isAway = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toEqual(["a"]);
    isAway = true;
    const before = vi.getTimerCount();
    follower.catchUp();
    expect(vi.getTimerCount()).toBe(before + 1);
    follower.stop();
    expect(vi.getTimerCount()).toBe(before);
  });

  it("is silent once it was stopped", async () => {
    const { follower, told, append } = follow();
    follower.on(append("a"));
    follower.stop();
    follower.on(append("b"));
    follower.catchUp();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told).toEqual(["1 a"]);
  });
});
