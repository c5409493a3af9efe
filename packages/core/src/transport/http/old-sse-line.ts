import type { HttpCalls } from "./http-calls.ts";
import { isEventStream, readEvents } from "./response-reading.ts";

/** What a server of that time answers to a POST on the address of its stream (2025-11-25 transports#backwards-compatibility). */
export const OLD_SERVER_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * The client's side of HTTP+SSE (2024-11-05): one stream for all that the server says, and an address, named in its first event,
 * for all that the client says. A stream that ends cannot be resumed.
 */
export class OldSseLine {
  readonly #calls: HttpCalls;
  readonly #endpoint: string;

  constructor(calls: HttpCalls, endpoint: string) {
    this.#calls = calls;
    this.#endpoint = endpoint;
  }

  /** Undefined if this is no such server either. `ended` is called when the stream is over. */
  static async open(
    calls: HttpCalls,
    signal: AbortSignal,
    take: (data: string) => void,
    ended: () => void,
  ): Promise<OldSseLine | undefined> {
    const response = await calls.get(undefined, signal);
    if (!isEventStream(response)) {
      await response.body?.cancel();
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const event = ({ event: kind, data }: { readonly event: string; readonly data: string }): void => {
        if (kind === "endpoint") resolve(new OldSseLine(calls, calls.within(data)));
        else if (kind === "message") take(data);
      };
      const reading = readEvents(response, { event, retry: () => undefined }, () => false);
      void reading.then(() => resolve(undefined), reject).finally(ended);
    });
  }

  /** Answers come on the stream; this one only says whether the message was taken. */
  async post(body: string, signal: AbortSignal): Promise<void> {
    const response = await this.#calls.post(body, {}, signal, undefined, this.#endpoint);
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answered with HTTP status ${response.status}`);
  }
}
