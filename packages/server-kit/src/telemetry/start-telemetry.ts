import { AsyncLocalStorage } from "node:async_hooks";

import type { Telemetry } from "../contract/settings.ts";
import type { StderrLog } from "../program/stderr-log.ts";
import { CallMetrics } from "./call-metrics.ts";
import { createObservingLayer } from "./observing.ts";
import type { OpenTelemetry, TelemetrySettings } from "./open-telemetry.ts";
import { StoreMetrics } from "./store-metrics.ts";
import { readTraceId } from "./trace-context.ts";

/** For whoever asks at /metrics. */
export interface Metrics {
  readonly calls: CallMetrics;
  readonly store: StoreMetrics;
}

export interface StartedTelemetry extends Telemetry {
  readonly metrics: Metrics | undefined;
  /** Of the call that is being worked on, where its client said one. */
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

/** A host may set these variables for itself: a server without the SDK works all the same, and says what it lacks. */
async function startExport(request: TelemetryRequest): Promise<OpenTelemetry | undefined> {
  try {
    const { startOpenTelemetry } = await import("./open-telemetry.ts");
    return await startOpenTelemetry(request);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw thrown;
    const advice = "install @opentelemetry/sdk-node beside this server, or set OTEL_SDK_DISABLED=true";
    request.log.warning(`no telemetry is exported, although OTEL_ variables ask for it: ${advice}`);
    return undefined;
  }
}
