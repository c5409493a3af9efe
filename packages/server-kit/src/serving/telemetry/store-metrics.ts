import { type MaybePromise, type Store, StoreUnavailable } from "@suite/core";

import { watchEnd } from "../contract/continue-with.ts";
import { Histogram, renderGauge } from "./prometheus.ts";

/** OpenTelemetry's buckets for operations of a database, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

type Operation = Exclude<keyof Store, "isShared" | "follow" | "close">;

/** Counts the store's operations and their durations. */
export class StoreMetrics {
  readonly #durations = new Histogram({
    name: "mcp_server_store_operation_duration_seconds",
    help: "How long operations of the shared store took.",
    buckets: BUCKETS,
  });
  #isWatching = false;
  #isThere = true;
  #inFlight = 0;

  /** Wraps the store to measure it. */
  watch(store: Store): Store {
    this.#isWatching = true;
    return {
      isShared: store.isShared,
      get: (...args) => this.#time("get", () => store.get(...args)),
      set: (...args) => this.#time("set", () => store.set(...args)),
      delete: (...args) => this.#time("delete", () => store.delete(...args)),
      append: (...args) => this.#time("append", () => store.append(...args)),
      read: (...args) => this.#time("read", () => store.read(...args)),
      last: (...args) => this.#time("last", () => store.last(...args)),
      take: (...args) => this.#time("take", () => store.take(...args)),
      follow: (...args) => store.follow(...args),
      close: () => store.close(),
    };
  }

  /** Empty without a shared store. */
  render(): string[] {
    if (!this.#isWatching) return [];
    return [
      ...this.#durations.render(),
      ...renderGauge([
        "mcp_server_store_up",
        "Whether the shared store answered the last time it was asked.",
        this.#isThere ? 1 : 0,
      ]),
      ...renderGauge([
        "mcp_server_store_operations_in_flight",
        "Operations that the shared store has not answered yet.",
        this.#inFlight,
      ]),
    ];
  }

  #time<T>(operation: Operation, work: () => MaybePromise<T>): MaybePromise<T> {
    const startedAt = performance.now();
    this.#inFlight += 1;
    const finish = (errorType: string | undefined): void => {
      this.#inFlight -= 1;
      this.#isThere = errorType === undefined;
      const labels = [
        ["operation", operation],
        ["error_type", errorType],
      ] as const;
      this.#durations.record(labels, (performance.now() - startedAt) / 1000);
    };
    return watchEnd(
      work,
      () => finish(undefined),
      (thrown) => finish(thrown instanceof StoreUnavailable ? "unavailable" : "_OTHER"),
    );
  }
}
