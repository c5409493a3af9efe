/** Metrics in the text format of Prometheus. */

/** A current value that can go up and down. */
export type Gauge = readonly [name: string, help: string, value: number];

type Labels = readonly (readonly [name: string, value: string | undefined])[];

interface Series {
  readonly labels: string;
  /** Number of durations by the first bucket they fit into; longer ones are only in `count`. */
  readonly buckets: number[];
  count: number;
  seconds: number;
}

interface HistogramSettings {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds. */
  readonly buckets: readonly number[];
}

/** A limit for memory: more series suggest an error in the labels. */
const MOST_SERIES = 2000;

/** Counts durations in buckets. */
export class Histogram {
  readonly #settings: HistogramSettings;
  readonly #series = new Map<string, Series>();

  constructor(settings: HistogramSettings) {
    this.#settings = settings;
  }

  record(labels: Labels, seconds: number): void {
    const { buckets } = this.#settings;
    const series = this.#find(renderLabels(labels));
    if (!series) return;
    series.count += 1;
    series.seconds += seconds;
    const bucket = buckets.findIndex((limit) => seconds <= limit);
    if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  render(): string[] {
    const { name, help } = this.#settings;
    const series = [...this.#series.values()].flatMap((one) => this.#renderSeries(one));
    return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...series];
  }

  #find(labels: string): Series | undefined {
    const known = this.#series.get(labels);
    if (known || this.#series.size >= MOST_SERIES) return known;
    const series: Series = { labels, buckets: this.#settings.buckets.map(() => 0), count: 0, seconds: 0 };
    this.#series.set(labels, series);
    return series;
  }

  #renderSeries({ labels, buckets, count, seconds }: Series): string[] {
    const { name, buckets: limits } = this.#settings;
    let below = 0;
    const rows = limits.map((limit, at) => {
      below += buckets[at] ?? 0;
      return `${name}_bucket{${labels},le="${limit}"} ${below}`;
    });
    return [
      ...rows,
      `${name}_bucket{${labels},le="+Inf"} ${count}`,
      `${name}_sum{${labels}} ${seconds}`,
      `${name}_count{${labels}} ${count}`,
    ];
  }
}

export const renderGauge = ([name, help, value]: Gauge): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  `${name} ${value}`,
];

const renderLabels = (labels: Labels): string =>
  labels
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${escapeLabel(value)}"`]))
    .join(",");

const ESCAPES: { readonly [character: string]: string } = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, (found) => ESCAPES[found] ?? found);
