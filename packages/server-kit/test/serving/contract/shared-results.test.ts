import { StoreUnavailable } from "@suite/core";
import { openLine, type Line } from "@suite/core/testing";
import { MemoryStore, Replica, type SetConditions, type Store } from "@suite/replicas";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { SharedResults } from "../../../src/serving/contract/shared-results.ts";
import { Removable } from "./removable.ts";
import { callOn, errorOf, Gate, LAST_LEGACY, type Run, serverOf, textOf, toolThat } from "./sample.ts";

const KEY = { "dev.suite/idempotencyKey": "k1" };

/** Replicas of one server, whose only tool writes and counts how often it ran. */
async function openReplicas(run: Run, store: Store = new MemoryStore()) {
  const counted = { runs: 0 };
  const open = (): Promise<Line> => {
    const tool = toolThat(
      (input, context) => {
        counted.runs += 1;
        return run(input, context);
      },
      { effects: "write" },
    );
    return openLine(serverOf([tool], { replica: new Replica(store) }), { revision: LAST_LEGACY });
  };
  return { one: await open(), other: await open(), counted };
}

describe("a write repeated at another replica", () => {
  it("gets its first result again", async () => {
    const { one, other, counted } = await openReplicas(() => ({ said: `run ${counted.runs}` }));
    const first = await callOn(one, {}, KEY);
    expect(await callOn(other, {}, KEY)).toEqual(first);
    expect({ text: textOf(first), ...counted }).toEqual({ text: "run 1", runs: 1 });
    expect(errorOf(await callOn(other, { name: "b" }, KEY))?.code).toBe("conflict");
  });

  it("waits for the first if that is still on its way", async () => {
    const gate = new Gate();
    const { one, other, counted } = await openReplicas(async () => (await gate.opened, { said: "done" }));
    const calls = [callOn(one, {}, KEY), callOn(other, {}, KEY), callOn(other, {}, KEY)];
    await expect.poll(() => counted.runs).toBe(1);
    gate.open();
    expect((await Promise.all(calls)).map(textOf)).toEqual(["done", "done", "done"]);
    expect(counted.runs).toBe(1);
  });

  it("is done anew after a failure that passes", async () => {
    const { one, other, counted } = await openReplicas(() => {
      if (counted.runs === 1) throw Object.assign(new Error("busy"), { code: "EBUSY" });
      return { said: "done" };
    });
    expect(errorOf(await callOn(one, {}, KEY))?.code).toBe("unavailable");
    expect(textOf(await callOn(other, {}, KEY))).toBe("done");
  });

  it("is refused while the store is away, and writes without a key go on", async () => {
    const removable = new Removable(new MemoryStore(), () => new StoreUnavailable());
    const { one, counted } = await openReplicas(() => ({ said: "done" }), removable.store);
    removable.isAway = true;
    expect(errorOf(await callOn(one, {}, KEY))).toMatchObject({
      code: "unavailable",
      retryable: true,
      retryAfterMs: 1000,
    });
    expect(counted.runs).toBe(0);
    expect(textOf(await callOn(one))).toBe("done");
    removable.isAway = false;
    expect(textOf(await callOn(one, {}, KEY))).toBe("done");
    expect(counted.runs).toBe(2);
  });

  it("leaves one claim to be withdrawn at a time, however many calls found the store away", async () => {
    const withdrawn: string[] = [];
    let isAway = false;
    class WatchedStore extends MemoryStore {
      override set(key: string, value: string, conditions: SetConditions): boolean {
        if (conditions.ttlMs === 1) withdrawn.push(key);
        if (isAway && key.startsWith("first:")) throw new StoreUnavailable();
        return super.set(key, value, conditions);
      }
    }
    const { one } = await openReplicas(() => ({ said: "done" }), new WatchedStore());
    isAway = true;
    const keys = Array.from({ length: 20 }, (_, index) => ({ "dev.suite/idempotencyKey": `k${index}` }));
    for (const key of keys) expect(errorOf(await callOn(one, {}, key))?.code).toBe("unavailable");
    await expect.poll(() => withdrawn.length).toBeGreaterThan(2);
    expect(new Set(withdrawn).size).toBe(1);
    isAway = false;
    await expect.poll(() => new Set(withdrawn).size).toBe(keys.length);
  });

  it("leaves no claim to be withdrawn for longer than it could have been stored", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const ttlMs = 1000;
    let tries = 0;
    class LostStore extends MemoryStore {
      override set(): boolean {
        tries += 1;
        throw new StoreUnavailable();
      }
    }
    const heartbeat = {
      isInDoubt: false,
      doubts: 0,
      onResumed: () => undefined,
      isDead: async () => false,
    };
    const results = new SharedResults({ id: "r", store: new LostStore(), heartbeat }, ttlMs);
    const steps = {
      stop: new AbortController().signal,
      abort: () => undefined,
      check: () => undefined,
      work: () => Promise.reject(new Error("not claimed")),
    };
    for (const place of ["a", "b", "c"])
      await expect(results.run(place, "digest", steps).answer).rejects.toMatchObject({ code: "unavailable" });
    await vi.advanceTimersByTimeAsync(2 * ttlMs);
    const triesInTime = tries;
    await vi.advanceTimersByTimeAsync(3 * ttlMs);
    expect([tries, vi.getTimerCount()]).toEqual([triesInTime, 0]);
  });

  it("keeps its claim though the first learns late that it has given up its own", async () => {
    const store = new MemoryStore();
    let isMute = false;
    const muted = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          const answer: unknown = member.apply(target, args);
          if (isMute) throw new StoreUnavailable();
          return answer;
        };
      },
    });
    const gate = new Gate();
    const result = { content: [] };
    const call = {
      stop: new AbortController().signal,
      abort: () => undefined,
      check: () => undefined,
    };
    const first = new SharedResults(new Replica(muted), 60_000).run("place", "digest", {
      ...call,
      async work() {
        isMute = true;
        return { result, isFinal: false };
      },
    });
    await expect.poll(() => store.get("place")).toBeUndefined();
    const second = new SharedResults(new Replica(store), 60_000).run("place", "digest", {
      ...call,
      work: async () => (await gate.opened, { result, isFinal: true }),
    });
    await expect.poll(() => store.get("place")).toBeDefined();
    const claim = store.get("place");
    isMute = false;
    await first.settled;
    expect(store.get("place")).toBe(claim);
    gate.open();
    await second.settled;
  });

  it("is not done twice if the store was away when the first had its result", async () => {
    const removable = new Removable(new MemoryStore(), () => new StoreUnavailable());
    const { one, other, counted } = await openReplicas(() => {
      removable.isAway = true;
      return { said: "done" };
    }, removable.store);
    const unstored = errorOf(await callOn(one, {}, KEY));
    expect(unstored).toMatchObject({ code: "unavailable", retryable: true });
    expect(unstored?.hint).toContain("as long as the store keeps its data");
    removable.isAway = false;
    expect(textOf(await callOn(other, {}, KEY))).toBe("done");
    expect(textOf(await callOn(one, {}, KEY))).toBe("done");
    expect(counted.runs).toBe(1);
  });
});
