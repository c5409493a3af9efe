import { toTable } from "@suite/check";

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

/** A row for each measure, and a table for each run of measures with the same contenders. */
export function toReport(measures: readonly Measure[]): string {
  const tables: { readonly names: readonly string[]; readonly rows: string[][] }[] = [];
  for (const measure of measures) {
    const names = [...measure.samples.keys()];
    const last = tables.at(-1);
    const table = last && String(last.names) === String(names) ? last : { names, rows: [] };
    if (table !== last) tables.push(table);
    table.rows.push(toRow(measure));
  }
  return tables
    .map(({ names, rows }) => toTable(["", ...names, `${names.at(-1)}, min - max`, "target"], rows))
    .join("\n\n");
}

function toRow({ title, digits, baseline, samples, targets = [] }: Measure): string[] {
  const show = (value: number): string =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const base = medianOf(samples.get(baseline));
  const cells = [...samples].map(([name, taken]) => {
    const median = medianOf(taken);
    const hasRatio = name !== baseline && !Number.isNaN(base);
    return hasRatio ? `${show(median)} (${(median / base).toFixed(2)}x)` : show(median);
  });
  const last = [...samples.values()].at(-1) ?? [];
  const spread = `${show(Math.min(...last))} - ${show(Math.max(...last))}`;
  return [title, ...cells, spread, targets.flatMap((target) => formatTarget(target, samples)).join("; ")];
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
  return [`${what.join(" ")} ${limit}: ${measured.toFixed(2)}, ${isMet ? "met" : "missed"}`];
}
