import {
  type Context,
  createServer,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type Params,
  type Server,
} from "@suite/core";
import { type Line, openLine } from "@suite/core/testing";
import { onTestFinished, vi } from "vitest";

import type { Replica } from "../src/index.ts";

export const MODERN = "2026-07-28";

type Fields = { readonly [name: string]: unknown };

export const toPost = (body: unknown, headers: { readonly [name: string]: string } = {}): RequestInit => ({
  method: "POST",
  headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** A request of the modern era, with the headers that go with it. */
export function toModernPost(
  method: string,
  params: Fields,
  headers: Record<string, string> = {},
): RequestInit {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const own = { "mcp-protocol-version": MODERN, "mcp-method": method, ...headers };
  return toPost({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, own);
}

/** The result of a response that must be none but a success. */
function resultOf(response: JSONRPCResponse): Params {
  if ("result" in response) return response.result;
  throw new Error(`Expected a result: ${JSON.stringify(response.error)}`);
}

/** Fits a notification, or a request, of this method. */
export const isCalled =
  (method: string) =>
  (message: JSONRPCMessage): boolean =>
    "method" in message && message.method === method;

/** Every message heard so far, in order, whether or not somebody waited for it. */
export const heardOn = (line: Line): Record<string, unknown>[] =>
  line.transcript
    .split("\n")
    .filter((entry) => entry.startsWith("← {") || entry.startsWith("← ["))
    .map((entry) => JSON.parse(entry.slice(2)) as Record<string, unknown>);

/** Turns enough for everything that is on its way in this process to arrive, however busy the machine: at least 1 ms each. */
export async function settled(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** For the rest of the test no wait takes time: one ends after the other, in the order of their ends. */
export function skipWaits(): void {
  vi.useFakeTimers().setTimerTickMode("nextTimerAsync");
  onTestFinished(() => void vi.useRealTimers());
}

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
