import type { Call } from "@suite/core";

import { type CallEnd, DURATION_BUCKETS, knownName, type Observer } from "./observing.ts";
import { Histogram, renderGauge } from "./prometheus.ts";

/** Counts calls and how long they took. */
export class CallMetrics implements Observer {
  readonly #durations = new Histogram({
    name: "mcp_server_operation_duration_seconds",
    help: "How long requests took.",
    buckets: DURATION_BUCKETS,
  });
  #inFlight = 0;

  start(call: Call): (end: CallEnd) => void {
    this.#inFlight += 1;
    return ({ seconds, errorType }) => {
      this.#inFlight -= 1;
      const labels = [
        ["method", call.method],
        ["name", knownName(call)],
        ["error_type", errorType],
      ] as const;
      this.#durations.record(labels, seconds);
    };
  }

  render(): string[] {
    const name = "mcp_server_requests_in_flight";
    return [
      ...this.#durations.render(),
      ...renderGauge({ name, help: "Requests being worked on.", value: this.#inFlight }),
    ];
  }
}
