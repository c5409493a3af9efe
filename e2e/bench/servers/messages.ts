import type { Era } from "@suite/core";

export const revisionOf: Readonly<Record<Era, string>> = { legacy: "2025-06-18", modern: "2026-07-28" };

const clientInfo = { name: "bench", version: "1.0.0" };

/** What every request carries since 2026-07-28; before, the handshake said it once. */
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": revisionOf.modern,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const metaOf: Readonly<Record<Era, object>> = { legacy: {}, modern: { _meta: modernMeta } };

function toRequest(id: number, method: string, era: Era, params: object): object {
  return { jsonrpc: "2.0", id, method, params: { ...params, ...metaOf[era] } };
}

export const initialized: object = { jsonrpc: "2.0", method: "notifications/initialized" };

export const toolsList: object = toRequest(1, "tools/list", "legacy", {});

/** The first request of a connection, in the way of its era. */
export const opening: Readonly<Record<Era, object>> = {
  legacy: toRequest(0, "initialize", "legacy", {
    protocolVersion: revisionOf.legacy,
    capabilities: {},
    clientInfo,
  }),
  modern: toRequest(0, "server/discover", "modern", {}),
};

export function textOf(id: number): string {
  return `message number ${id}`;
}

export function toEchoCalls(firstId: number, count: number, era: Era): object[] {
  return Array.from({ length: count }, (_, index) => {
    const id = firstId + index;
    return toToolCall(id, { name: "echo", arguments: { text: textOf(id) } }, era);
  });
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

export const toToolCall = (id: number, call: ToolCall, era: Era = "legacy"): object =>
  toRequest(id, "tools/call", era, call);
