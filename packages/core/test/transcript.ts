import { onTestFinished, vi } from "vitest";
import type { JSONRPCMessage, JSONRPCResponse, Params } from "../src/jsonrpc/message.ts";
import type { Line } from "../src/testing.ts";

/** The result of a response that must be none but a success. */
export function resultOf(response: JSONRPCResponse): Params {
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

/** The text of a tool's first block. */
export function textOf(result: Params): string {
  const [block] = result["content"] as readonly { readonly text?: string }[];
  return block?.text ?? "";
}
