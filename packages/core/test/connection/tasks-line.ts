import { createServer, type Context, type Server } from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { MODERN_CAPABILITIES } from "./asking.ts";

export const EXTENSION: Params = { "io.modelcontextprotocol/tasks": {} };

/** A server with one tool, "work", that may become a task. */
export const serverWith = (
  run: (context: Context) => unknown,
  tasks: { ttlMs?: number; most?: number; pollIntervalMs?: number } = {},
  task: "optional" | "required" = "optional",
): Server =>
  createServer({
    name: "s",
    version: "1",
    tasks,
    tools: [{ name: "work", description: "…", task, run: (_: never, context) => run(context) }],
  });

/** A line to it, from a client that answers everything and knows tasks. */
export const openTaskLine = (server: Server): Promise<Line> =>
  openLine(server, { revision: MODERN, capabilities: { ...MODERN_CAPABILITIES, extensions: EXTENSION } });
