import type { Attributes, Context, Histogram, Tracer } from "@opentelemetry/api";
import type { Call } from "@suite/core";

import { type CallEnd, DURATION_BUCKETS, knownName, type Observer } from "./observing.ts";

type Api = typeof import("@opentelemetry/api");

export interface TelemetrySettings {
  readonly name: string;
  readonly version: string;
  readonly transport: "pipe" | "tcp";
}

export interface OpenTelemetry extends Observer {
  /** Exports the remaining data. */
  close(): Promise<void>;
}

/**
 * Spans and durations by OpenTelemetry's conventions for MCP. The official SDK reads its `OTEL_` variables itself; it is an
 * optional peer, loaded only here.
 */
export async function startOpenTelemetry(settings: TelemetrySettings): Promise<OpenTelemetry> {
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const api = await import("@opentelemetry/api");
  const { name, version } = settings;
  const sdk = new NodeSDK({ serviceName: name, autoDetectResources: false, instrumentations: [] });
  sdk.start();
  const histogram = api.metrics.getMeter(name, version).createHistogram("mcp.server.operation.duration", {
    unit: "s",
    description: "How long the server worked on a request.",
    advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
  });
  const spans = new CallSpans(api, api.trace.getTracer(name, version), histogram, settings.transport);
  return { start: (call) => spans.start(call), close: () => sdk.shutdown() };
}

class CallSpans implements Observer {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #histogram: Histogram;
  readonly #transport: TelemetrySettings["transport"];

  constructor(api: Api, tracer: Tracer, histogram: Histogram, transport: TelemetrySettings["transport"]) {
    this.#api = api;
    this.#tracer = tracer;
    this.#histogram = histogram;
    this.#transport = transport;
  }

  start(call: Call): (end: CallEnd) => void {
    const { SpanKind, SpanStatusCode } = this.#api;
    const name = knownName(call);
    const shared = toAttributes(call, name, this.#transport);
    const span = this.#tracer.startSpan(
      name === undefined ? call.method : `${call.method} ${name}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          ...shared,
          "jsonrpc.request.id": String(call.context.requestId),
          ...(call.method.startsWith("resources/") &&
            call.name !== undefined && { "mcp.resource.uri": withoutSecrets(call.name) }),
        },
      },
      this.#parentOf(call),
    );
    return ({ seconds, errorType }) => {
      const failed = errorType === undefined ? {} : { "error.type": errorType };
      span.setAttributes(failed);
      if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      this.#histogram.record(seconds, { ...shared, ...failed });
    };
  }

  /** The client's span, which a request carries in its `_meta`. */
  #parentOf({ context: { meta } }: Call): Context {
    const { propagation, ROOT_CONTEXT } = this.#api;
    return propagation.extract(ROOT_CONTEXT, meta, {
      keys: (carrier) => Object.keys(carrier),
      get: (carrier, key) => {
        const value = carrier[key];
        return typeof value === "string" ? value : undefined;
      },
    });
  }
}

function toAttributes(
  { method, target, context }: Call,
  name: string | undefined,
  transport: TelemetrySettings["transport"],
): Attributes {
  return {
    "mcp.method.name": method,
    "mcp.protocol.version": context.client.revision,
    "network.transport": transport,
    ...(target?.kind === "tool" && { "gen_ai.tool.name": name, "gen_ai.operation.name": "execute_tool" }),
    ...(target?.kind === "prompt" && { "gen_ai.prompt.name": name }),
  };
}

/** Removes the query and fragment, which may contain secrets, and the user info, which may contain a password. */
const withoutSecrets = (uri: string): string =>
  uri.replace(/[?#].*$/s, "").replace(/^([^/]*\/\/)[^/]*@/, "$1");
