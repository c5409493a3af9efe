import { createServer, type Context, type Server } from "../../src/index.ts";
import type { JSONRPCResponse, Params } from "../../src/jsonrpc/message.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { resultOf } from "../transcript.ts";
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

export const work = async (line: Line, more: Params = {}): Promise<Params> =>
  resultOf(await line.request("tools/call", { name: "work", ...more }));

export const taskRequest = (
  line: Line,
  verb: string,
  task: Params,
  more: Params = {},
): Promise<JSONRPCResponse> => line.request(`tasks/${verb}`, { taskId: task["taskId"], ...more });

export const getTask = async (line: Line, task: Params): Promise<Params> =>
  resultOf(await taskRequest(line, "get", task));

/** Runs until the signal is aborted, and says why it was. */
export const untilAborted = ({ signal }: Context): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
