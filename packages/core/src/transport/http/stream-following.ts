import { isEventStream, readEvents } from "./response-reading.ts";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Takes the data of one event, and says whether it was the last that matters. */
  readonly take: (data: string) => boolean;
  /** Asks for what comes after an event, or, without one, for a new stream. */
  readonly reconnect: (lastEventId: string | undefined) => Promise<Response>;
  /** Which broken streams are worth that: none, those that gave an id, or any. */
  readonly resumes: "never" | "by-id" | "always";
}

const DEFAULT_RETRY_MS = 1000;
/** A server that asks to come back at once would be asked without end. */
const SHORTEST_RETRY_MS = 50;
/** More than timers can hold. */
const LONGEST_RETRY_MS = 2 ** 31 - 1;
/** In a row, each twice as long after the other. */
const MOST_FAILURES = 5;

/**
 * Reads a stream to its end over as many connections as it takes (2025-11-25 transports#resumability-and-redelivery). True
 * once `take` has had all that matters.
 */
export async function followStream(first: Response, options: FollowOptions): Promise<boolean> {
  const { signal, take, reconnect, resumes } = options;
  let response: Response | undefined = first;
  let lastEventId: string | undefined;
  let retryMs = DEFAULT_RETRY_MS;
  let isOver = false;
  const receiver = {
    retry: (ms: number) => void (retryMs = Math.max(SHORTEST_RETRY_MS, ms)),
    event: ({ id, event, data }: { id: string | undefined; event: string; data: string }) => {
      // An empty id takes back the ones before it (HTML, server-sent events).
      if (id !== undefined) lastEventId = id === "" ? undefined : id;
      if (data !== "" && event === "message" && take(data)) isOver = true;
    },
  };
  for (let failures = 0; failures <= MOST_FAILURES;) {
    if (response) await readEvents(response, receiver, () => isOver);
    signal.throwIfAborted();
    if (isOver) return true;
    if (resumes === "never" || (resumes === "by-id" && lastEventId === undefined)) return false;
    await pause(Math.min(retryMs * 2 ** failures, LONGEST_RETRY_MS), signal);
    response = await reconnect(lastEventId).catch(() => undefined);
    failures = response ? 0 : failures + 1;
    if (!response || isEventStream(response)) continue;
    await response.body?.cancel();
    return false;
  }
  return false;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
