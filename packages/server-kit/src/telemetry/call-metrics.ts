import type { Call } from "@suite/core";

import { type CallEnd, DURATION_BUCKETS, knownName, type Observer } from "./observing.ts";

/** Something that goes up and down, with its value now. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly value: number;
}

interface Series {
  readonly labels: string;
  /** Calls by the first bucket they fit into; those too long for any are in the count alone. */
  readonly buckets: number[];
  count: number;
  seconds: number;
}

const DURATION = "mcp_server_operation_duration_seconds";
/** Tools times outcomes; beyond it something is wrong with the labels, and memory matters more. */
const MOST_SERIES = 2000;

/** Counts calls and how long they took, in the text format that Prometheus reads. */
export class CallMetrics implements Observer {
  readonly #series = new Map<string, Series>();
  #inFlight = 0;

  start(call: Call): (end: CallEnd) => void {
    this.#inFlight += 1;
    return ({ seconds, errorType }) => {
      this.#inFlight -= 1;
      this.#add(call, seconds, errorType);
    };
  }

  render(gauges: readonly Gauge[]): string {
    const inFlight = { name: "mcp_server_requests_in_flight", help: "Requests being worked on." };
    return [
      `# HELP ${DURATION} How long requests took.`,
      `# TYPE ${DURATION} histogram`,
      ...[...this.#series.values()].flatMap(renderSeries),
      ...[{ ...inFlight, value: this.#inFlight }, ...gauges].flatMap(renderGauge),
      "",
    ].join("\n");
  }

  #add(call: Call, seconds: number, errorType: string | undefined): void {
    const labels = renderLabels([
      ["method", call.method],
      ["name", knownName(call)],
      ["error_type", errorType],
    ]);
    const series = this.#series.get(labels) ?? this.#create(labels);
    if (!series) return;
    series.count += 1;
    series.seconds += seconds;
    const bucket = DURATION_BUCKETS.findIndex((limit) => seconds <= limit);
    if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  #create(labels: string): Series | undefined {
    if (this.#series.size >= MOST_SERIES) return undefined;
    const series: Series = { labels, buckets: DURATION_BUCKETS.map(() => 0), count: 0, seconds: 0 };
    this.#series.set(labels, series);
    return series;
  }
}

function renderSeries({ labels, buckets, count, seconds }: Series): string[] {
  let below = 0;
  const rows = DURATION_BUCKETS.map((limit, at) => {
    below += buckets[at] ?? 0;
    return `${DURATION}_bucket{${labels},le="${limit}"} ${below}`;
  });
  return [
    ...rows,
    `${DURATION}_bucket{${labels},le="+Inf"} ${count}`,
    `${DURATION}_sum{${labels}} ${seconds}`,
    `${DURATION}_count{${labels}} ${count}`,
  ];
}

const renderGauge = ({ name, help, value }: Gauge): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  `${name} ${value}`,
];

const renderLabels = (labels: readonly (readonly [string, string | undefined])[]): string =>
  labels
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${escapeLabel(value)}"`]))
    .join(",");

const ESCAPES: { readonly [character: string]: string } = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, (found) => ESCAPES[found] ?? found);
