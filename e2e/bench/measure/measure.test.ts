import { expect, it } from "vitest";
import { type Figure, Samples, toReport } from "./measure.ts";
import { interleave, measureInTurns } from "./turns.ts";

function report(figure: Partial<Figure>, taken: Readonly<Record<string, readonly number[]>>): string[] {
  const samples = new Samples(Object.keys(taken));
  for (const [name, values] of Object.entries(taken)) for (const value of values) samples.add(name, value);
  const measure = samples.toMeasure({ title: "calls/s", digits: 0, baseline: "floor", ...figure });
  return toReport([measure]).split("\n");
}

it("a measure shows medians, the ratio to the baseline and the spread of the last contender", () => {
  expect(report({}, { floor: [3000, 900, 2000], peer: [400, 500, 600, 900], absent: [] })).toEqual([
    "|         | floor | peer        | peer, min - max | target |",
    "| ------- | ----- | ----------- | --------------- | ------ |",
    "| calls/s | 2,000 | 550 (0.28x) | 400 - 900       |        |",
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
  const [, , row = ""] = report({ targets }, { floor: [2], peer: [4], ours: [3] });
  expect(row.split(" | ").at(-1)?.replace(" |", "").split("; ")).toEqual([
    "ours / floor at most 1.5: 1.50, met",
    "ours / floor at least 1.6: 1.50, missed",
    "ours - floor at most 1: 1.00, met",
    "peer at most 3.9: 4.00, missed",
  ]);
});

it("measures of the same contenders share a table", () => {
  const measures = ["a,b", "a,b", "a,c"].map((names, at) => {
    const samples = new Map(names.split(",").map((name) => [name, [at]]));
    return { title: `row ${at}`, digits: 0, baseline: "", samples };
  });
  const headers = toReport(measures)
    .split("\n\n")
    .map((table) => table.split("\n").length);
  expect(headers).toEqual([4, 3]);
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
