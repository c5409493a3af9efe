import type { SuiteOptions } from "../suite.ts";
import { sampleInTurns } from "./interleave.ts";
import { type Measure, Samples } from "./measure.ts";

export interface StartSample {
  readonly startMs: number;
  readonly residentMiB: number;
}

export interface StartMeasures {
  readonly start: Measure;
  readonly memory: Measure;
}

/** Starts every contender in turns, as often as there are rounds. */
export async function measureStarts<T extends { readonly name: string }>(
  contenders: readonly T[],
  sample: (contender: T, signal: AbortSignal) => Promise<StartSample>,
  { rounds, signal, showProgress }: SuiteOptions,
): Promise<StartMeasures> {
  const names = contenders.map(({ name }) => name);
  const [start, memory] = [new Samples(names), new Samples(names)];
  const samples = sampleInTurns(contenders, rounds, async (contender, round) => {
    showProgress(`start, round ${round} of ${rounds}: ${contender.name}`);
    return { name: contender.name, ...(await sample(contender, signal)) };
  });
  for await (const { name, startMs, residentMiB } of samples) {
    start.add(name, startMs);
    memory.add(name, residentMiB);
  }
  return {
    start: start.toMeasure("start: spawn to initialize answered, ms", 1),
    memory: memory.toMeasure("resident memory after tools/list, MiB", 1),
  };
}
