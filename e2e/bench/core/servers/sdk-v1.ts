import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "sdk-v1", version: "1.0.0" });

server.registerTool(
  "echo",
  { description: "Returns the text.", inputSchema: { text: z.string() }, outputSchema: { text: z.string() } },
  ({ text }) => ({ content: [{ type: "text", text }], structuredContent: { text } }),
);

await server.connect(new StdioServerTransport());
