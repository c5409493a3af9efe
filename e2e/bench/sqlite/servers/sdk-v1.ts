// The server that the official SDK and better-sqlite3 make in an hour: SQL in the server's own process, nothing checked,
// no query that could be stopped, no page, no structured content. No server from npm that was tried is as fast.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import Database from "better-sqlite3";
import { z } from "zod";

const database = new Database(process.argv[2] ?? ":memory:");
const server = new McpServer({ name: "sdk-v1", version: "1.0.0" });

server.registerTool(
  "read_query",
  { description: "Runs a query.", inputSchema: { query: z.string() } },
  ({ query }) => ({ content: [{ type: "text", text: JSON.stringify(database.prepare(query).all()) }] }),
);

server.registerTool(
  "execute_batch",
  { description: "Runs statements in a transaction.", inputSchema: { statements: z.array(z.string()) } },
  ({ statements }) => {
    const run = database.transaction(() => {
      for (const sql of statements) database.prepare(sql).run();
    });
    run();
    return { content: [{ type: "text", text: `${statements.length} statements` }] };
  },
);

await server.connect(new StdioServerTransport());
