import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { HostQueues } from "../../../src/domain/outbound/host-queues.ts";

/** A place that is not given back is waited for forever. */
const SOON = { timeout: 20_000 };

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

it("lets no request past another to the same host, however often its queue was forgotten", SOON, async () => {
  const queues = new HostQueues({ concurrency: 1, minIntervalMs: 1000, total: 10 });
  const { signal } = new AbortController();
  (await queues.enter("host", signal))();
  vi.advanceTimersByTime(500);
  const impatient = new AbortController();
  const given = queues.enter("host", impatient.signal);
  impatient.abort();
  await expect(given).rejects.toMatchObject({ code: "cancelled" });
  vi.advanceTimersByTime(500);
  const leave = await queues.enter("host", signal);
  vi.advanceTimersByTime(1000);
  let isIn = false;
  const next = queues.enter("host", signal).then(() => (isIn = true));
  await new Promise(setImmediate);
  expect(isIn).toBe(false);
  leave();
  expect(await next).toBe(true);
});

it("lets in no more than the total of all hosts, and gives back each place only once", SOON, async () => {
  const queues = new HostQueues({ concurrency: 5, minIntervalMs: 0, total: 2 });
  const entered: string[] = [];
  const enter = async (host: string, signal = new AbortController().signal): Promise<() => void> => {
    const leave = await queues.enter(host, signal);
    entered.push(host);
    return leave;
  };
  const leaveFirst = await enter("first");
  const leaveSecond = await enter("second");
  const impatient = new AbortController();
  const cancelled = enter("cancelled", impatient.signal).catch(() => entered.push("none"));
  const waiting = ["third", "fourth"].map((host) => enter(host));
  await new Promise(setImmediate);
  impatient.abort();
  await cancelled;
  expect(entered).toEqual(["first", "second", "none"]);
  for (let times = 0; times < 2; times += 1) leaveFirst();
  await new Promise(setImmediate);
  expect(entered).toEqual(["first", "second", "none", "third"]);
  leaveSecond();
  for (const leave of await Promise.all(waiting)) leave();
  await Promise.all(["fifth", "sixth"].map((host) => enter(host)));
  expect(entered).toEqual(["first", "second", "none", "third", "fourth", "fifth", "sixth"]);
});
