/** A server of the oldest kind: what it does not know before the handshake, it does not answer. */
import { createInterface } from "node:readline";

const CAPABILITIES = { tools: {} };
const RESULTS: { readonly [method: string]: object } = {
  initialize: {
    protocolVersion: "2024-11-05",
    capabilities: CAPABILITIES,
    serverInfo: { name: "silent", version: "0" },
  },
  "tools/list": { tools: [{ name: "nothing", inputSchema: { type: "object" } }] },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  const result = RESULTS[method];
  if (result && id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
