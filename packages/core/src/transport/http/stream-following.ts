import { isEventStream, readEvents } from "./response-reading.ts";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Takes the data of one event. Returns true if no more events are needed. */
  readonly take: (data: string) => boolean;
  /** Asks for what comes after an event, or, without one, for a new stream. */
  readonly reconnect: (lastEventId: string | undefined) => Promise<Response>;
  /** When to reconnect: never, only with an event id and after a few failures at most, or until the signal. */
  readonly resumes: "never" | "by-id" | "always";
}

const DEFAULT_RETRY_MS = 1000;
/** Even if the server asks for less: reconnecting at once would be a busy loop. */
const SHORTEST_RETRY_MS = 50;
/** The longest delay that timers support. */
const LONGEST_RETRY_MS = 2 ** 31 - 1;
/** Failures in a row; each doubles the wait. */
const MOST_FAILURES = 5;

/** Temporary errors of the server or of a proxy, which say nothing about the stream. */
const isPassing = ({ status }: Response): boolean => (status >= 500 && status !== 501) || status === 429;

/**
 * Reads a stream to its end over as many connections as it takes (2025-11-25 transports#resumability-and-redelivery). True
 * once `take` has had all that matters.
 */
export async function followStream(first: Response | undefined, options: FollowOptions): Promise<boolean> {
  const { signal, take, reconnect, resumes } = options;
  let response = first;
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
  for (let failures = 0; ;) {
    if (response && isEventStream(response)) {
      failures = 0;
      await readEvents(response, receiver, () => isOver);
    } else {
      await response?.body?.cancel();
      if (response && !isPassing(response)) return false;
      failures += 1;
    }
    signal.throwIfAborted();
    if (isOver) return true;
    const isLost = lastEventId === undefined || failures > MOST_FAILURES;
    if (resumes === "never" || (resumes === "by-id" && isLost)) return false;
    const waitMs = retryMs * 2 ** Math.min(failures, MOST_FAILURES);
    await pause(Math.min(waitMs, LONGEST_RETRY_MS), signal);
    response = await reconnect(lastEventId).catch(() => undefined);
  }
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
