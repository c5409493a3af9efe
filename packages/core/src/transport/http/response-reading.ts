import { EventParser, type EventReceiver } from "./event-parser.ts";

/** As large as a message may be. */
const LARGEST_BODY = 64 * 1024 * 1024;
/** A stream that has served its purpose should be ended by the server; the client does not wait long for that. */
const LINGER_MS = 100;

export const isEventStream = ({ ok, headers }: Response): boolean =>
  ok && (headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");

/** The body as JSON; undefined when it is none. */
export async function readJson(response: Response): Promise<unknown> {
  const parts: string[] = [];
  let size = 0;
  await eachText(response, (text) => {
    size += text.length;
    if (size > LARGEST_BODY) throw new Error("The server sent a message that is too large");
    parts.push(text);
    return true;
  });
  return parseJson(parts.join(""));
}

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Passes events on until the stream ends, breaks off, or is not wanted any more. */
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

/** `take` says whether it wants more. A connection that breaks off is the end like any other; what `take` throws is not. */
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
