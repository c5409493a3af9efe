// The floor over HTTP: the least a node:http server can do and still answer. No checks of headers, sessions or shape.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface EchoRequest {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly text: string }; readonly _meta?: object };
}

const serverInfo = { name: "floor", version: "1.0.0" };
const modern = { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } };

function answer({ method, params }: EchoRequest): object {
  const era = params?.["_meta"] === undefined ? undefined : modern;
  if (method === "initialize")
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  const text = params?.arguments?.text;
  return { content: [{ type: "text", text }], structuredContent: { text }, ...era };
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const message: EchoRequest = JSON.parse(Buffer.concat(parts).toString("utf8"));
    if (message.id === undefined) return response.writeHead(202).end();
    const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: answer(message) });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "mcp-session-id": "floor",
    };
    return response.writeHead(200, headers).end(body);
  });
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
