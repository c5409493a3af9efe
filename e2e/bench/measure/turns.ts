import type { SuiteOptions } from "../suite.ts";
import { type Figure, type Measure, Samples } from "./measure.ts";

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
    const first = (round - 1) % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      yield { contender, round };
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
  const taken = figures.map(() => new Samples(contenders.map(({ name }) => name)));
  for (const { contender, round } of interleave(contenders, rounds)) {
    showProgress(`${what}, round ${round} of ${rounds}: ${contender.name}`);
    for (const [at, value] of (await sample(contender)).entries())
      if (value !== undefined) taken[at]?.add(contender.name, value);
  }
  const measures = figures.map((figure, at) => taken[at]?.toMeasure(figure));
  return measures as { readonly [At in keyof F]: Measure };
}

/** A round of calls takes seconds where a start takes a fraction of one. */
export const callRoundsOf = ({ rounds }: SuiteOptions): number => Math.ceil(rounds / 4);
