import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

export function createSdkV2EchoServer(): McpServer {
  const server = new McpServer({ name: "sdk-v2", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      description: "Returns the text.",
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ text: z.string() }),
    },
    ({ text }) => ({ content: [{ type: "text", text }], structuredContent: { text } }),
  );
  return server;
}
