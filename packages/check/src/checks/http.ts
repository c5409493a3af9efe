import { callHttp } from "../wires/http-call.ts";
import { JSON_HEADERS } from "../wires/http-wire.ts";
import { isModern } from "../wires/revisions.ts";
import type { Check, ServerLocation, Visit } from "./visit.ts";

const TIMEOUT_MS = 10_000;
const FOREIGN = "http://rebound.example";

/** How a request from a page of another site is answered. */
async function askFromElsewhere(
  { url, headers = {} }: Extract<ServerLocation, { url: unknown }>,
  { revision }: Visit,
): Promise<number> {
  const method = isModern(revision) ? "server/discover" : "initialize";
  const clientInfo = { name: "check", version: "1" };
  const params = isModern(revision)
    ? {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientInfo": clientInfo,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      }
    : { protocolVersion: revision, capabilities: {}, clientInfo };
  const call = await callHttp(url, {
    method: "POST",
    headers: {
      ...JSON_HEADERS,
      ...headers,
      ...(isModern(revision) && { "mcp-protocol-version": revision, "mcp-method": method }),
      origin: FOREIGN,
    },
    timeoutMs: TIMEOUT_MS,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  call.drop();
  return call.status;
}

/** What only a server behind HTTP owes. */
export const http: Check = {
  name: "HTTP",
  async run(visit, note) {
    if (visit.transport !== "HTTP") return "absent";
    const { place, end } = await visit.again();
    try {
      if (!("url" in place)) return "absent";
      const status = await askFromElsewhere(place, visit);
      if (status < 400)
        note("http/origin-validated", `A request with the Origin of another site is served (HTTP ${status})`);
    } finally {
      await end?.();
    }
    return undefined;
  },
};
