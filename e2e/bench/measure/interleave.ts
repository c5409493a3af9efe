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

/** Samples strictly one after the other: two processes at once would measure each other. */
export async function* sampleInTurns<T, S>(
  contenders: readonly T[],
  rounds: number,
  sample: (contender: T, round: number) => Promise<S>,
): AsyncGenerator<S> {
  for (const { contender, round } of interleave(contenders, rounds)) yield sample(contender, round);
}
