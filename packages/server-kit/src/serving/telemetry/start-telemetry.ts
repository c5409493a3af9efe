import { AsyncLocalStorage } from "node:async_hooks";

import type { Call } from "@suite/core";

import type { Telemetry } from "../contract/settings.ts";
import { codeOf } from "../../domain/errors/code-of.ts";
import type { StderrLog } from "./stderr-log.ts";
import {
  type CallEnd,
  createObservingLayer,
  DURATION_BUCKETS,
  knownName,
  type Observer,
} from "./observing.ts";
import type { OpenTelemetry, TelemetrySettings } from "./open-telemetry.ts";
import { Histogram, renderGauge } from "./prometheus.ts";
import { StoreMetrics } from "./store-metrics.ts";
import { readTraceId } from "../contract/trace-context.ts";

/** The data for /metrics. */
export interface Metrics {
  readonly calls: CallMetrics;
  readonly store: StoreMetrics;
}

export interface StartedTelemetry extends Telemetry {
  readonly metrics: Metrics | undefined;
  /** The trace id of the current call, if its client sent one. */
  readonly traceId: () => string | undefined;
}

interface TelemetryRequest extends TelemetrySettings {
  readonly hasMetrics: boolean;
  readonly exports: boolean;
  readonly log: StderrLog;
  readonly report: (thrown: unknown) => void;
}

export async function startTelemetry(request: TelemetryRequest): Promise<StartedTelemetry> {
  const metrics = request.hasMetrics ? { calls: new CallMetrics(), store: new StoreMetrics() } : undefined;
  const exported = request.exports ? await startExport(request) : undefined;
  const observe = createObservingLayer(
    [metrics?.calls, exported].filter((observer) => observer !== undefined),
    request.report,
  );
  const traces = new AsyncLocalStorage<string | undefined>();
  return {
    metrics,
    layer: (call, next) =>
      traces.run(readTraceId(call.context.meta["traceparent"]), () => observe(call, next)),
    traceId: () => traces.getStore(),
    close: async () => exported?.close().catch(request.report),
  };
}

/** A host may set OTEL_ variables for itself, so a missing SDK is only a warning. */
async function startExport(request: TelemetryRequest): Promise<OpenTelemetry | undefined> {
  try {
    const { startOpenTelemetry } = await import("./open-telemetry.ts");
    return await startOpenTelemetry(request);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw thrown;
    const advice = "install @opentelemetry/sdk-node beside this server, or set OTEL_SDK_DISABLED=true";
    request.log.warning(`no telemetry is exported, although OTEL_ variables ask for it: ${advice}`);
    return undefined;
  }
}

/** Counts calls and how long they took. */
class CallMetrics implements Observer {
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
    return [
      ...this.#durations.render(),
      ...renderGauge(["mcp_server_requests_in_flight", "Requests being worked on.", this.#inFlight]),
    ];
  }
}
