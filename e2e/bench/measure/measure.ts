export interface Figure {
  readonly title: string;
  readonly digits: number;
  /** The contender that the others are compared with. */
  readonly baseline: string;
  readonly targets?: readonly BenchTarget[];
}

/** What we hold ourselves to: a ratio where it can be, so that it means the same on every machine. */
export interface BenchTarget {
  /** By default `ours`. */
  readonly of?: string;
  /** The contender that it is divided by, or that is taken from it. Without either, the figure itself counts. */
  readonly per?: string;
  readonly beyond?: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** One figure of several contenders, in the order they are to be shown. */
export interface Measure extends Figure {
  readonly samples: ReadonlyMap<string, readonly number[]>;
}

/** Gathers samples round by round. */
export class Samples {
  readonly #byName = new Map<string, number[]>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#byName.set(name, []);
  }

  add(name: string, sample: number): void {
    this.#byName.get(name)?.push(sample);
  }

  /** Contenders without a sample cannot do it, and are left out. */
  toMeasure(figure: Figure): Measure {
    const taken = [...this.#byName].filter(([, samples]) => samples.length > 0);
    return { ...figure, samples: new Map(taken) };
  }
}

/** The middle: a mean would let one round disturbed by the machine speak for all of them. */
export function medianOf(samples: readonly number[] = []): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const [below, above] = [Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2)];
  return ((sorted[below] ?? Number.NaN) + (sorted[above] ?? Number.NaN)) / 2;
}

/** Each measure as a table, with its targets below. */
export const toReport = (measures: readonly Measure[]): string => measures.map(formatMeasure).join("\n\n");

function formatMeasure(measure: Measure): string {
  const { title, digits, baseline, samples, targets = [] } = measure;
  const show = (value: number): string =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const base = medianOf(samples.get(baseline));
  const rows = [...samples].map(([name, taken]) => {
    const median = medianOf(taken);
    const ratio = Number.isNaN(base) ? "" : `${(median / base).toFixed(2)}x`;
    return [name, show(median), `${show(Math.min(...taken))} - ${show(Math.max(...taken))}`, ratio];
  });
  const table = formatTable(["", "median", "min - max", `vs ${baseline}`], rows);
  return [title, table, ...targets.flatMap((target) => formatTarget(target, samples))].join("\n");
}

/** Nothing if one of them did not run. */
function formatTarget(target: BenchTarget, samples: Measure["samples"]): readonly string[] {
  const { of = "ours", per, beyond, atMost = Infinity, atLeast = -Infinity } = target;
  const own = medianOf(samples.get(of));
  const other = per ?? beyond;
  const base = other === undefined ? 0 : medianOf(samples.get(other));
  const measured = per === undefined ? own - base : own / base;
  if (Number.isNaN(measured)) return [];
  const what = [of, ...(per === undefined ? [] : ["/", per]), ...(beyond === undefined ? [] : ["-", beyond])];
  const limit = atMost < Infinity ? `at most ${atMost}` : `at least ${atLeast}`;
  const isMet = measured <= atMost && measured >= atLeast;
  return [`target: ${what.join(" ")} = ${measured.toFixed(2)}, ${limit}: ${isMet ? "met" : "missed"}`];
}

/** Lines a table up for a terminal: the first column is text and starts left, the others are figures and end right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const toLine = (cells: readonly string[]): string =>
    widths
      .map((width, at) => (at === 0 ? (cells[at] ?? "").padEnd(width) : (cells[at] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  return lines.map(toLine).join("\n");
}
