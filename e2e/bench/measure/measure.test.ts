import { expect, it } from "vitest";
import { type Figure, Samples, toReport } from "./measure.ts";
import { interleave, measureInTurns } from "./turns.ts";

function report(figure: Partial<Figure>, taken: Readonly<Record<string, readonly number[]>>): string[] {
  const samples = new Samples(Object.keys(taken));
  for (const [name, values] of Object.entries(taken)) for (const value of values) samples.add(name, value);
  const measure = samples.toMeasure({ title: "calls/s", digits: 0, baseline: "floor", ...figure });
  return toReport([measure]).split("\n");
}

it("a measure shows median, spread and the ratio to the baseline", () => {
  expect(report({}, { floor: [3000, 900, 2000], peer: [400, 500, 600, 900], absent: [] })).toEqual([
    "calls/s",
    "       median    min - max  vs floor",
    "floor   2,000  900 - 3,000     1.00x",
    "peer      550    400 - 900     0.28x",
  ]);
});

it("a target is met at its limit, missed beyond it, and left out if a contender is missing", () => {
  const targets = [
    { per: "floor", atMost: 1.5 },
    { per: "floor", atLeast: 1.6 },
    { beyond: "floor", atMost: 1 },
    { of: "peer", atMost: 3.9 },
    { per: "nobody", atMost: 1 },
  ];
  expect(report({ targets }, { floor: [2], peer: [4], ours: [3] }).slice(-4)).toEqual([
    "target: ours / floor = 1.50, at most 1.5: met",
    "target: ours / floor = 1.50, at least 1.6: missed",
    "target: ours - floor = 1.00, at most 1: met",
    "target: peer = 4.00, at most 3.9: missed",
  ]);
});

it("each round begins with the next contender", () => {
  const turns = [...interleave(["a", "b", "c"], 4)].map(({ contender, round }) => `${round}${contender}`);
  expect(turns.join(" ")).toBe("1a 1b 1c 2b 2c 2a 3c 3a 3b 4a 4b 4c");
});

it("samples are taken one after the other, and none after a failure", async () => {
  const events: string[] = [];
  const turns = { rounds: 2, what: "calls", showProgress: () => {} };
  const figure = { title: "ms", digits: 0, baseline: "a" };
  const measuring = measureInTurns([figure], [{ name: "a" }, { name: "b" }], turns, async ({ name }) => {
    events.push(`begin ${name}`);
    await Promise.resolve();
    events.push(`end ${name}`);
    if (events.length > 4) throw new Error("crash");
    return [1];
  });
  await expect(measuring).rejects.toThrow("crash");
  expect(events).toEqual(["a", "b", "b"].flatMap((name) => [`begin ${name}`, `end ${name}`]));
});
