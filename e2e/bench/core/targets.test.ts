import { describe, expect, it } from "vitest";
import { type Measure, Samples } from "../measure/measure.ts";
import { isMet } from "../measure/target.ts";
import { toTargets } from "./targets.ts";

function measureOf(medians: Readonly<Record<string, number>>): Measure {
  const samples = new Samples(Object.keys(medians));
  for (const [name, median] of Object.entries(medians)) samples.add(name, median);
  return samples.toMeasure("", 0, "floor");
}

const measures = {
  start: measureOf({ floor: 100, "SDK v1": 300, ours: 110 }),
  memory: measureOf({ floor: 40, "SDK v1": 60, ours: 50 }),
  oneByOne: measureOf({ floor: 1_000, "SDK v1": 500, ours: 500 }),
  pipelined: measureOf({ floor: 100, "SDK v1": 20, fastmcp: 15, ours: 81 }),
};

describe("toTargets", () => {
  it("holds ours against the floor and the fastest peer", () => {
    const targets = toTargets(measures).map((target) => [target.what, target.measured, isMet(target)]);
    expect(targets).toEqual([
      ["start, time vs floor", 1.1, true],
      ["one by one, time vs floor", 2, false],
      ["pipelined, calls/s vs floor", 0.81, true],
      ["memory vs floor", 1.25, false],
      ["pipelined, calls/s vs best peer", 4.05, true],
    ]);
  });

  it("leaves the peers out when none ran", () => {
    const targets = toTargets({ ...measures, pipelined: measureOf({ floor: 100, ours: 81 }) });
    expect(targets.map(({ what }) => what)).not.toContain("pipelined, calls/s vs best peer");
    expect(targets).toHaveLength(4);
  });

  it("has no targets without ours", () => {
    expect(toTargets({ ...measures, start: measureOf({ floor: 100 }) })).toEqual([]);
  });
});
