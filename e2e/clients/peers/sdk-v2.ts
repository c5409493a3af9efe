/** A server on the official SDK of the second generation: both eras. */
import { acceptedContent, inputRequired, inputResponse, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const aborted: string[] = [];
const text = (said: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: said }],
});
const WORD = z.object({ word: z.string() });

serveStdio(() => {
  const server = new McpServer(
    { name: "sdk-v2", version: "2.0.0" },
    { instructions: "Be kind.", capabilities: { logging: {} } },
  );

  server.registerTool(
    "echo",
    { inputSchema: z.object({ text: z.string() }), outputSchema: z.object({ text: z.string() }) },
    (given) => ({ ...text(given.text), structuredContent: given }),
  );

  server.registerTool(
    "steps",
    { inputSchema: z.object({ count: z.number() }) },
    async ({ count }, { mcpReq }) => {
      const { progressToken = "none" } = mcpReq._meta ?? {};
      for (let progress = 1; progress <= count; progress += 1) {
        const params = { progressToken, progress, total: count };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return text("done");
    },
  );

  server.registerTool("ask", {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "word");
    if (answer.kind === "elicit" && answer.action !== "accept") return text(`${answer.action} undefined`);
    const accepted = acceptedContent(mcpReq.inputResponses, "word", WORD);
    if (accepted) return text(`accept ${accepted.word}`);
    return inputRequired({
      inputRequests: { word: inputRequired.elicit({ message: "A word?", requestedSchema: WORD }) },
    });
  });

  server.registerTool("roots", {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "roots");
    if (answer.kind === "roots") return text(answer.roots.map(({ uri }) => uri).join());
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });

  server.registerTool("wait", {}, async ({ mcpReq }) => {
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
    aborted.push("wait");
    return text("aborted");
  });

  server.registerTool("aborted", {}, () => text(aborted.join()));

  server.registerTool("log", {}, async ({ mcpReq }) => {
    await mcpReq.notify({ method: "notifications/message", params: { level: "warning", data: "careful" } });
    return text("logged");
  });

  server.registerTool("grow", {}, () => {
    server.registerTool("grown", {}, () => text("grown"));
    return text("growing");
  });

  server.registerResource("page", "demo:///page", { mimeType: "text/plain" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "a page" }],
  }));

  server.registerPrompt("greet", { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
  }));

  return server;
});
