import type { Attributes, Context } from "@opentelemetry/api";
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
  const tracer = api.trace.getTracer(name, version);
  const start = (call: Call): ((end: CallEnd) => void) => {
    const target = knownName(call);
    const shared = toAttributes(call, target, settings.transport);
    const span = tracer.startSpan(
      target === undefined ? call.method : `${call.method} ${target}`,
      {
        kind: api.SpanKind.SERVER,
        attributes: {
          ...shared,
          "jsonrpc.request.id": String(call.context.requestId),
          ...(call.method.startsWith("resources/") &&
            call.name !== undefined && { "mcp.resource.uri": withoutSecrets(call.name) }),
        },
      },
      parentOf(call, api),
    );
    return ({ seconds, errorType }) => {
      const failed = errorType === undefined ? {} : { "error.type": errorType };
      span.setAttributes(failed);
      if (errorType !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
      histogram.record(seconds, { ...shared, ...failed });
    };
  };
  return { start, close: () => sdk.shutdown() };
}

/** The client's span, which a request carries in its `_meta`. */
const parentOf = ({ context: { meta } }: Call, { propagation, ROOT_CONTEXT }: Api): Context =>
  propagation.extract(ROOT_CONTEXT, meta, {
    keys: (carrier) => Object.keys(carrier),
    get: (carrier, key) => {
      const value = carrier[key];
      return typeof value === "string" ? value : undefined;
    },
  });

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
