import type { SuiteOptions } from "../suite.ts";
import type { Figure, Measure } from "./measure.ts";
import { summarize } from "./statistics.ts";

interface Turn<T> {
  readonly contender: T;
  /** Counted from 1. */
  readonly round: number;
}

/**
 * Who runs when: every contender once per round, each round begun by the next contender, so that neither a slow
 * stretch of the machine nor a place in the order favours anyone.
 */
export function* interleave<T>(contenders: readonly T[], rounds: number): Generator<Turn<T>> {
  for (let round = 1; round <= rounds; round += 1) {
    const first = contenders.length === 0 ? 0 : (round - 1) % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      yield { contender, round };
    }
  }
}

interface Turns extends Pick<SuiteOptions, "rounds" | "showProgress"> {
  /** What is measured, for whoever watches. */
  readonly what: string;
}

/**
 * Samples strictly one after the other: two processes at once would measure each other. A sample has a value for each figure,
 * or none if this contender cannot do that.
 */
export async function measureInTurns<const F extends readonly Figure[], T extends { readonly name: string }>(
  figures: F,
  contenders: readonly T[],
  { rounds, what, showProgress }: Turns,
  sample: (contender: T) => Promise<readonly (number | undefined)[]>,
): Promise<{ readonly [At in keyof F]: Measure }> {
  const samples = new Map<T, (readonly (number | undefined)[])[]>(contenders.map((one) => [one, []]));
  for (const { contender, round } of interleave(contenders, rounds)) {
    showProgress(`${what}, round ${round} of ${rounds}: ${contender.name}`);
    samples.get(contender)?.push(await sample(contender));
  }
  const measures = figures.map((figure, at): Measure => {
    const summaries = [...samples].flatMap(([{ name }, taken]) => {
      const values = taken.flatMap((sampled) => sampled[at] ?? []);
      return values.length === 0 ? [] : [[name, summarize(values)] as const];
    });
    return { ...figure, summaries: new Map(summaries) };
  });
  return measures as { readonly [At in keyof F]: Measure };
}

/** A round of calls takes seconds where a start takes a fraction of one. */
export const callRoundsOf = ({ rounds }: SuiteOptions): number => Math.ceil(rounds / 4);
