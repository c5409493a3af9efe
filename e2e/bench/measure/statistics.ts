export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly samples: readonly number[];
}

/** The median with its spread: a mean would let one round disturbed by the machine speak for all of them. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  const min = sorted[0];
  const max = sorted.at(-1);
  const above = sorted[Math.floor(sorted.length / 2)];
  const below = sorted[Math.ceil(sorted.length / 2) - 1];
  if (min === undefined || max === undefined || above === undefined || below === undefined) {
    throw new RangeError("no samples to summarize");
  }
  return { median: (below + above) / 2, min, max, samples };
}
