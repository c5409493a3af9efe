import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fastmcp", version: "1.0.0" });

server.addTool({
  name: "echo",
  description: "Returns the text.",
  parameters: z.object({ text: z.string() }),
  outputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => Promise.resolve({ content: [{ type: "text", text }], structuredContent: { text } }),
});

await server.start({ transportType: "stdio" });
