import { pump, toRequests } from "../measure/pump.ts";
import type { ServerProcess } from "../measure/server-process.ts";
import { parseAnswers, wrong } from "./answers.ts";
import { deadlineMs, drive, type Driven, shakeHands } from "./driving.ts";
import { type ToolCall, toToolCall } from "./messages.ts";

const quiet = { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "emergency" } };

/** The same call over and over. */
export interface Workload {
  readonly call: ToolCall;
  /** Looks at one result: speed of wrong answers means nothing. */
  readonly check: (result: ToolResult) => boolean;
  readonly warmUp: number;
  readonly measured: number;
  /** How many calls are under way at once. */
  readonly window: number;
}

export interface ToolResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** A check that looks for something in the first text. */
export const hasText =
  (text: string) =>
  ({ content }: ToolResult): boolean =>
    content?.[0]?.text?.includes(text) ?? false;

/** Milliseconds per call of each workload, in one process, in their order. */
export function sampleWorkloads(
  driven: Driven,
  workloads: readonly Workload[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  return drive(driven, signal, async (server) => {
    await shakeHands(server);
    // What a server says besides takes time, too. One without logging refuses.
    await pump(server, toRequests([quiet]), { window: 1, deadlineMs });
    const times: number[] = [];
    for (const workload of workloads) {
      await repeat(server, workload, workload.warmUp);
      times.push((await repeat(server, workload, workload.measured)) / workload.measured);
    }
    return times;
  });
}

async function repeat(
  server: ServerProcess,
  { call, check, window }: Workload,
  count: number,
): Promise<number> {
  if (count === 0) return 0;
  const requests = toRequests(Array.from({ length: count }, (_, id) => toToolCall(1_000 + id, call)));
  const beganAt = performance.now();
  const { doneAt, bytes } = await pump(server, requests, { window, deadlineMs });
  checkAnswers(bytes, count, call, check);
  return doneAt - beganAt;
}

export function checkAnswers(bytes: Buffer, count: number, call: ToolCall, check: Workload["check"]): void {
  const answers = parseAnswers(bytes).filter(({ id }) => id !== undefined);
  if (answers.length !== count) throw wrong(`${answers.length} answers to ${count} calls`, answers[0]);
  for (const { result } of answers) {
    const given = (result ?? {}) as ToolResult;
    if (given.isError === true || !check(given)) throw wrong(`of ${call.name}`, given);
  }
}
