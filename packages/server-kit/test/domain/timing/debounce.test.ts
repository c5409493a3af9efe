import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Debounce } from "../../../src/domain/timing/debounce.ts";

describe("Debounce", () => {
  it("makes one call of many", async () => {
    let calls = 0;
    const work = (): void => void (calls += 1);
    const debounce = new Debounce(work, { quietMs: 20, mostMs: 10_000 });
    for (let at = 0; at < 50; at += 1) debounce.call();
    expect(calls).toBe(0);
    await expect.poll(() => calls).toBe(1);
    await sleep(60);
    expect(calls).toBe(1);
    debounce.call();
    await expect.poll(() => calls).toBe(2);
  });

  it("does not wait for a quiet moment that never comes", async () => {
    let calls = 0;
    const work = (): void => void (calls += 1);
    const debounce = new Debounce(work, { quietMs: 60_000, mostMs: 50 });
    const ticking = setInterval(() => debounce.call(), 5);
    await expect.poll(() => calls).toBeGreaterThanOrEqual(2);
    clearInterval(ticking);
    debounce.cancel();
  });

  it("forgets what was asked for when it is cancelled", async () => {
    let calls = 0;
    const work = (): void => void (calls += 1);
    const debounce = new Debounce(work, { quietMs: 5, mostMs: 10_000 });
    debounce.call();
    debounce.cancel();
    await sleep(40);
    expect(calls).toBe(0);
  });
});
