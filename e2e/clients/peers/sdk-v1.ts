/** A server on the official SDK of the first generation: the legacy era alone. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer(
  { name: "sdk-v1", version: "1.0.0" },
  { instructions: "Be kind.", capabilities: { logging: {} } },
);
const aborted: string[] = [];
const text = (said: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: said }],
});

server.registerTool(
  "echo",
  { inputSchema: { text: z.string() }, outputSchema: { text: z.string() } },
  (given) => ({ ...text(given.text), structuredContent: given }),
);

server.registerTool("steps", { inputSchema: { count: z.number() } }, async ({ count }, extra) => {
  const { progressToken = "none" } = extra._meta ?? {};
  for (let progress = 1; progress <= count; progress += 1) {
    const params = { progressToken, progress, total: count };
    await extra.sendNotification({ method: "notifications/progress", params });
  }
  return text("done");
});

server.registerTool("ask", {}, async () => {
  const { action, content } = await server.server.elicitInput({
    message: "A word?",
    requestedSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  });
  return text(`${action} ${String(content?.["word"])}`);
});

server.registerTool("roots", {}, async () =>
  text((await server.server.listRoots()).roots.map(({ uri }) => uri).join()),
);

server.registerTool("wait", {}, async (extra) => {
  await new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
  aborted.push("wait");
  return text("aborted");
});

server.registerTool("aborted", {}, () => text(aborted.join()));

server.registerTool("log", {}, async () => {
  await server.server.sendLoggingMessage({ level: "warning", data: "careful" });
  return text("logged");
});

server.registerTool("grow", {}, () => {
  server.registerTool("grown", {}, () => text("grown"));
  return text("growing");
});

server.registerResource("page", "demo:///page", { mimeType: "text/plain" }, ({ href }) => ({
  contents: [{ uri: href, mimeType: "text/plain", text: "a page" }],
}));

server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
  messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
}));

await server.connect(new StdioServerTransport());
