import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { HostQueues } from "../../src/outbound/host-queues.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

it("lets no request past another to the same host, however often its queue was forgotten", async () => {
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
