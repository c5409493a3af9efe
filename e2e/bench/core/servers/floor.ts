// The floor: the least a Node process can do and still answer. It trusts every line, checks nothing, keeps no
// session and knows one tool; whatever a real server costs beyond this is the price of the protocol.

interface EchoRequest {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments: { readonly text: string }; readonly _meta?: object };
}

const serverInfo = { name: "floor", version: "1.0.0" };
const textObject = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const tools = [
  { name: "echo", description: "Returns the text.", inputSchema: textObject, outputSchema: textObject },
];
const modern = { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } };
const cached = { ttlMs: 0, cacheScope: "private" };

function answer({ method, params }: EchoRequest): object {
  const era = params?.["_meta"] === undefined ? undefined : modern;
  if (method === "tools/call" && params !== undefined) {
    const { text } = params.arguments;
    return { content: [{ type: "text", text }], structuredContent: { text }, ...era };
  }
  const capabilities = { tools: {} };
  if (method === "initialize") return { protocolVersion: "2025-06-18", capabilities, serverInfo };
  if (method === "server/discover") {
    return { supportedVersions: ["2026-07-28"], capabilities, ...cached, ...era };
  }
  return era === undefined ? { tools } : { tools, ...cached, ...era };
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const request: EchoRequest = JSON.parse(line);
    if (request.id === undefined) continue;
    answers += `${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: answer(request) })}\n`;
  }
  if (answers !== "") process.stdout.write(answers);
});
