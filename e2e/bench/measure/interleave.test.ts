import { describe, expect, it } from "vitest";
import { interleave, measureInTurns } from "./interleave.ts";

describe("interleave", () => {
  it("starts each round with the next contender", () => {
    const turns = [...interleave(["a", "b", "c"], 4)].map(({ contender, round }) => `${round}${contender}`);
    expect(turns.join(" ")).toBe("1a 1b 1c 2b 2c 2a 3c 3a 3b 4a 4b 4c");
  });

  it("runs nobody in no rounds, and nobody when there is nobody", () => {
    expect([...interleave(["a"], 0)]).toEqual([]);
    expect([...interleave([], 3)]).toEqual([]);
  });
});

describe("measureInTurns", () => {
  const figures = [{ title: "ms", digits: 0, baseline: "a" }] as const;
  const contenders = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const turns = { rounds: 2, what: "calls", showProgress: () => {} };

  it("begins a sample only when the one before is done", async () => {
    const events: string[] = [];
    const [measure] = await measureInTurns(figures, contenders.slice(0, 2), turns, async ({ name }) => {
      events.push(`begin ${name}`);
      await Promise.resolve();
      return [events.push(`end ${name}`)];
    });
    expect(events).toEqual(["a", "b", "b", "a"].flatMap((name) => [`begin ${name}`, `end ${name}`]));
    expect([...measure.summaries].map(([name, { samples }]) => [name, samples])).toEqual([
      ["a", [2, 8]],
      ["b", [4, 6]],
    ]);
  });

  it("leaves out who cannot do it", async () => {
    const [measure] = await measureInTurns(figures, contenders, turns, async ({ name }) => [
      name === "b" ? undefined : 1,
    ]);
    expect([...measure.summaries.keys()]).toEqual(["a", "c"]);
  });

  it("stops at the first failure", async () => {
    const sampled: string[] = [];
    const measuring = measureInTurns(figures, contenders, turns, async ({ name }) => {
      sampled.push(name);
      if (name === "b") throw new Error("crash");
      return [1];
    });
    await expect(measuring).rejects.toThrow("crash");
    expect(sampled).toEqual(["a", "b"]);
  });
});
