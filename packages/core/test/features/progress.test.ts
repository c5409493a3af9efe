import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProgressReporter, type ProgressReport } from "../../src/features/progress.ts";

interface Sent {
  readonly at: number;
  readonly progress: number;
}

/** Reports these values at these times, then flushes. */
function report(steps: readonly { readonly progress: number; readonly after: number }[]): Sent[] {
  const sent: Sent[] = [];
  let now = 0;
  const reporter = new ProgressReporter(({ progress }) => sent.push({ at: now, progress }));
  for (const { progress, after } of steps) {
    now += after;
    reporter.report({ progress }, now);
  }
  reporter.flush();
  return sent;
}

const steps = fc.array(
  fc.record({ progress: fc.double().map((value) => value + 0), after: fc.integer({ min: 0, max: 50 }) }),
);

describe("progress", () => {
  it("grows, never comes faster than every 20 ms, and ends with the highest", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const sent = report(given);
        const values = sent.map(({ progress }) => progress);
        expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
        const finite = given.map(({ progress }) => progress).filter(Number.isFinite);
        expect(values.at(-1)).toEqual(finite.length > 0 ? Math.max(...finite) : undefined);
        // The last one may come early: it must not be lost.
        for (let at = 1; at < sent.length - 1; at += 1) {
          expect((sent[at]?.at ?? 0) - (sent[at - 1]?.at ?? 0)).toBeGreaterThanOrEqual(20);
        }
      }),
    );
  });

  it("keeps total and message", () => {
    const sent: ProgressReport[] = [];
    const reporter = new ProgressReporter((one) => sent.push(one));
    reporter.report({ progress: 1, total: 2, message: "half" }, 0);
    reporter.report({ progress: 2, total: 2, message: "done" }, 1);
    expect(sent).toHaveLength(1);
    reporter.flush();
    reporter.flush();
    expect(sent).toEqual([
      { progress: 1, total: 2, message: "half" },
      { progress: 2, total: 2, message: "done" },
    ]);
  });

  it("that is held back comes by itself when nothing follows", async () => {
    const sent: number[] = [];
    const reporter = new ProgressReporter(({ progress }) => sent.push(progress));
    reporter.report({ progress: 1 });
    reporter.report({ progress: 2 });
    expect(sent).toEqual([1]);
    await expect.poll(() => sent).toEqual([1, 2]);
  });
});
