import type { Context } from "../../src/index.ts";
import type { JSONRPCResponse, Params } from "../../src/jsonrpc/message.ts";
import { resultOf } from "../transcript.ts";

/** A line to a server with a tool "work": one of this package, or of a package built on it. */
interface TaskLine {
  request(method: string, params?: Params): Promise<JSONRPCResponse>;
}

export const work = async (line: TaskLine, more: Params = {}): Promise<Params> =>
  resultOf(await line.request("tools/call", { name: "work", ...more }));

export const taskRequest = (
  line: TaskLine,
  verb: string,
  task: Params,
  more: Params = {},
): Promise<JSONRPCResponse> => line.request(`tasks/${verb}`, { taskId: task["taskId"], ...more });

export const getTask = async (line: TaskLine, task: Params): Promise<Params> =>
  resultOf(await taskRequest(line, "get", task));

/** Runs until the signal is aborted, and says why it was. */
export const untilAborted = ({ signal }: Pick<Context, "signal">): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
