import { type Context, createServer, type Server } from "@suite/core";
import { type Line, openLine } from "@suite/core/testing";

import { MODERN } from "../../core/test/revisions.ts";
import type { Replica } from "../src/index.ts";

/** A server with one tool, "work", that may become a task. */
export const serverWith = (
  run: (context: Context) => unknown,
  tasks: { ttlMs?: number; most?: number },
  replica: Replica,
): Server =>
  createServer({
    name: "s",
    version: "1",
    tasks,
    replica,
    tools: [{ name: "work", description: "…", task: "optional", run: (_: never, context) => run(context) }],
  });

/** A line to it, from a client that answers everything and knows tasks. */
export const openTaskLine = (server: Server): Promise<Line> => {
  const capabilities = {
    elicitation: { form: {}, url: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  };
  return openLine(server, { revision: MODERN, capabilities });
};
