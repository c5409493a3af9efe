import { type Summary, summarize } from "./statistics.ts";
import { formatTable } from "./table.ts";

export interface Figure {
  readonly title: string;
  readonly digits: number;
  /** The contender that the others are compared with. */
  readonly baseline: string;
}

/** One figure of several contenders, in the order they are to be shown. */
export interface Measure extends Figure {
  readonly summaries: ReadonlyMap<string, Summary>;
}

/** Gathers samples round by round and sums them up at the end. */
export class Samples {
  readonly #byName = new Map<string, number[]>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#byName.set(name, []);
  }

  add(name: string, sample: number): void {
    this.#byName.get(name)?.push(sample);
  }

  toMeasure(title: string, digits: number, baseline: string): Measure {
    const summaries = [...this.#byName].map(([name, samples]) => [name, summarize(samples)] as const);
    return { title, digits, baseline, summaries: new Map(summaries) };
  }
}

/** Not a number if it was not measured. */
export const medianOf = (measure: Measure | undefined, name: string): number =>
  measure?.summaries.get(name)?.median ?? Number.NaN;

export function formatMeasure({ title, digits, baseline, summaries }: Measure): string {
  const show = (value: number): string =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const base = summaries.get(baseline)?.median;
  const rows = [...summaries].map(([name, { median, min, max }]) => {
    const ratio = base === undefined ? "" : `${(median / base).toFixed(2)}x`;
    return [name, show(median), `${show(min)} - ${show(max)}`, ratio];
  });
  return `${title}\n${formatTable(["", "median", "min - max", `vs ${baseline}`], rows)}`;
}

export function toPlainMeasure({ title, summaries }: Measure): object {
  return { title, results: Object.fromEntries(summaries) };
}
