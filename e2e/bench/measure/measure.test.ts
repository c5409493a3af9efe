import { describe, expect, it } from "vitest";
import { formatMeasure, Samples, toPlainMeasure } from "./measure.ts";

function measureOf(samples: Readonly<Record<string, readonly number[]>>) {
  const gathered = new Samples(Object.keys(samples));
  for (const [name, values] of Object.entries(samples)) for (const value of values) gathered.add(name, value);
  return gathered.toMeasure("calls/s", 0, "floor");
}

describe("a measure", () => {
  it("shows median, spread and the ratio to the baseline", () => {
    const measure = measureOf({ floor: [1_000, 2_000, 3_000], peer: [400, 500, 600] });
    expect(formatMeasure(measure).split("\n")).toEqual([
      "calls/s",
      "       median      min - max  vs floor",
      "floor   2,000  1,000 - 3,000     1.00x",
      "peer      500      400 - 600     0.25x",
    ]);
  });

  it("keeps every sample in its plain form", () => {
    expect(toPlainMeasure(measureOf({ floor: [3, 1] }))).toEqual({
      title: "calls/s",
      results: { floor: { median: 2, min: 1, max: 3, samples: [3, 1] } },
    });
  });

  it("fails when a contender was never sampled", () => {
    expect(() => measureOf({ floor: [] })).toThrow("no samples");
  });
});
