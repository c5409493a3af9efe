/** A server that breaks its own promises, for the bed to find. */
import { createInterface } from "node:readline";

const LIE = {
  name: "lie",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { count: { type: "number" } }, required: ["count"] },
  annotations: { readOnlyHint: true },
};

const RESULTS: { readonly [method: string]: (params: { protocolVersion?: string }) => object } = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "liar", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [LIE] }),
  "tools/call": () => ({ content: [{ type: "text", text: "one" }], structuredContent: { count: "one" } }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: unknown; method: string; params: object };
  if (id === undefined) return;
  const result = RESULTS[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
