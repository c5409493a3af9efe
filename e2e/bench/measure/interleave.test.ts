import { describe, expect, it } from "vitest";
import { interleave, sampleInTurns } from "./interleave.ts";

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

describe("sampleInTurns", () => {
  it("begins a sample only when the one before is done", async () => {
    const events: string[] = [];
    const samples = sampleInTurns(["a", "b"], 2, async (contender, round) => {
      events.push(`begin ${contender}${round}`);
      await Promise.resolve();
      events.push(`end ${contender}${round}`);
      return contender;
    });
    for await (const contender of samples) events.push(`took ${contender}`);
    expect(events).toEqual(
      ["a1", "b1", "b2", "a2"].flatMap((turn) => [
        `begin ${turn}`,
        `end ${turn}`,
        `took ${turn.slice(0, 1)}`,
      ]),
    );
  });

  it("stops at the first failure", async () => {
    const sampled: string[] = [];
    const samples = sampleInTurns(["a", "b", "c"], 1, (contender) => {
      sampled.push(contender);
      return contender === "b" ? Promise.reject(new Error("crash")) : Promise.resolve(contender);
    });
    await samples.next();
    await expect(samples.next()).rejects.toThrow("crash");
    expect(await samples.next()).toEqual({ done: true, value: undefined });
    expect(sampled).toEqual(["a", "b"]);
  });
});
