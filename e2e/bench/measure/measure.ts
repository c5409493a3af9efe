import { type Summary, summarize } from "./statistics.ts";
import { formatTable } from "./table.ts";

/** One figure of several contenders, in the order they are to be shown. */
export interface Measure {
  readonly title: string;
  readonly digits: number;
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

  toMeasure(title: string, digits: number): Measure {
    const summaries = [...this.#byName].map(([name, samples]) => [name, summarize(samples)] as const);
    return { title, digits, summaries: new Map(summaries) };
  }
}

export function formatMeasure({ title, digits, summaries }: Measure, baseline: string): string {
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
