import { describe, expect, it } from "vitest";

import { TimeSlices } from "../../../src/domain/timing/time-slices.ts";

const never = new AbortController().signal;

describe("TimeSlices", () => {
  let time = 0;
  const clock = (): number => time;

  it("asks for a pause once the time is up, and lets others run in it", async () => {
    let pauses = 0;
    const slices = new TimeSlices(never, () => (pauses += 1), clock);
    expect(slices.look()).toBeUndefined();
    time += 8;
    const others: string[] = [];
    setImmediate(() => others.push("ran"));
    await slices.look();
    expect([others, pauses]).toEqual([["ran"], 1]);
    expect(slices.look()).toBeUndefined();
  });

  it("looks at the clock only now and then for small steps", () => {
    const slices = new TimeSlices(never, undefined, clock);
    time += 8;
    const asked = Array.from({ length: 64 }, () => slices.step() !== undefined);
    expect(asked.indexOf(true)).toBe(31);
  });

  it("ends with the signal's reason, before the start or in a pause", async () => {
    const reason = new Error("enough");
    expect(() => new TimeSlices(AbortSignal.abort(reason))).toThrow(reason);
    const controller = new AbortController();
    const slices = new TimeSlices(controller.signal, undefined, clock);
    time += 8;
    const pause = slices.look();
    controller.abort(reason);
    await expect(pause).rejects.toBe(reason);
  });
});
