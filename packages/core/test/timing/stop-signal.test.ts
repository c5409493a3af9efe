import { describe, expect, expectTypeOf, it, vi } from "vitest";

import { StopSource, type StopSignal } from "../../src/timing/stop-signal.ts";

describe("a stop", () => {
  it("tells its listeners once, with the first reason", () => {
    const stop = new StopSource();
    const listener = vi.fn<() => void>(() => expect(stop.aborted).toBe(true));
    stop.addEventListener("abort", listener);
    expect([stop.aborted, stop.reason]).toEqual([false, undefined]);
    expect(() => stop.throwIfAborted()).not.toThrow();
    stop.abort("first");
    stop.abort("second");
    expect(listener).toHaveBeenCalledTimes(1);
    expect(stop.reason).toBe("first");
    expect(() => stop.throwIfAborted()).toThrow("first");
  });

  it("forgets who no longer listens, and tells nobody who comes too late", () => {
    const stop = new StopSource();
    const [gone, stays, late] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
    stop.addEventListener("abort", gone);
    stop.addEventListener("abort", stays);
    stop.removeEventListener("abort", gone);
    stop.removeEventListener("abort", late);
    stop.abort("now");
    stop.addEventListener("abort", late);
    expect([gone, stays, late].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
  });

  it("has an AbortSignal that says the same, whether it is looked at before or after", () => {
    const reason = new Error("stop");
    const before = new StopSource();
    const { signal } = before;
    expect([signal.aborted, before.signal === signal]).toEqual([false, true]);
    before.abort(reason);
    const after = new StopSource();
    after.abort(reason);
    for (const { signal: real } of [before, after])
      expect([real.aborted, real.reason]).toEqual([true, reason]);
    expectTypeOf(signal).toExtend<StopSignal>();
  });
});
