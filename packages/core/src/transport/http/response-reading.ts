import { parseJson } from "../../jsonrpc/parse-json.ts";
import { EventParser, LARGEST_EVENT, type EventReceiver } from "./event-parser.ts";

/** How long the server has to end a stream after the last event that the client needs. Then the client cancels it. */
const LINGER_MS = 100;

export const isEventStream = ({ ok, headers }: Response): boolean =>
  ok && (headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");

/** The body parsed as JSON; undefined if it is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const parts: string[] = [];
  let size = 0;
  await eachText(response, (text) => {
    size += text.length;
    if (size > LARGEST_EVENT) throw new Error("The server sent a message that is too large");
    parts.push(text);
    return true;
  });
  return parseJson(parts.join(""));
}

/** Passes events on until the stream ends, its connection fails, or `isOver` returns true. */
export async function readEvents(
  response: Response,
  receiver: EventReceiver,
  isOver: () => boolean,
): Promise<void> {
  const parser = new EventParser(receiver);
  await eachText(response, (text) => {
    parser.push(text);
    return !isOver();
  });
}

/** `take` returns whether it wants more. A failed connection counts as the end of the body; errors from `take` propagate. */
async function eachText(response: Response, take: (text: string) => boolean): Promise<void> {
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  if (!reader) return;
  const decoder = new TextDecoder();
  let linger: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const chunk = await reader.read().catch(() => undefined);
      if (!chunk || chunk.done) return;
      if (linger !== undefined || take(decoder.decode(chunk.value, { stream: true }))) continue;
      linger = setTimeout(() => void reader.cancel().catch(() => undefined), LINGER_MS);
    }
  } catch (thrown) {
    await reader.cancel().catch(() => undefined);
    throw thrown;
  } finally {
    clearTimeout(linger);
  }
}
