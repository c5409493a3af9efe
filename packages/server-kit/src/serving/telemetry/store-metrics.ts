import { StoreUnavailable } from "@suite/core";

import { Histogram, renderGauge } from "./prometheus.ts";

/** OpenTelemetry's buckets for operations of a database, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Counts the store's operations and their durations. */
export class StoreMetrics {
  readonly #durations = new Histogram({
    name: "mcp_server_store_operation_duration_seconds",
    help: "How long operations of the shared store took.",
    buckets: BUCKETS,
  });
  #isUsed = false;
  #isUp = true;
  #inFlight = 0;

  /** Call the returned function when the operation has ended, with what it threw. */
  start(operation: string): (thrown?: unknown) => void {
    const startedAt = performance.now();
    this.#isUsed = true;
    this.#inFlight += 1;
    return (thrown) => {
      this.#inFlight -= 1;
      this.#isUp = thrown === undefined;
      const errorType = thrown instanceof StoreUnavailable ? "unavailable" : "_OTHER";
      const labels = [
        ["operation", operation],
        ["error_type", thrown === undefined ? undefined : errorType],
      ] as const;
      this.#durations.record(labels, (performance.now() - startedAt) / 1000);
    };
  }

  /** Empty without a shared store. */
  render(): string[] {
    if (!this.#isUsed) return [];
    return [
      ...this.#durations.render(),
      ...renderGauge([
        "mcp_server_store_up",
        "Whether the shared store answered the last time it was asked.",
        this.#isUp ? 1 : 0,
      ]),
      ...renderGauge([
        "mcp_server_store_operations_in_flight",
        "Operations that the shared store has not answered yet.",
        this.#inFlight,
      ]),
    ];
  }
}
