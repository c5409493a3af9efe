import { ProtocolError } from "./error.ts";
import {
  isRequestId,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type Params,
  type RequestId,
} from "./message.ts";

export interface PendingOptions {
  /** From the request, or the last progress on it, to the answer. */
  readonly timeoutMs: number;
  /** From the request to the answer, progress or not. */
  readonly longestMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((params: Params) => void) | undefined;
}

interface Waiting {
  readonly resolve: (result: Params) => void;
  readonly reject: (reason: unknown) => void;
  readonly progress: (params: Params) => void;
  readonly hold: (isHeld: boolean) => void;
}

interface Sender {
  send(message: JSONRPCMessage): void;
}

/** No answer came in time. The request has been cancelled. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Requests that this side sent and that wait for an answer. Their ids serve as progress tokens too. */
export class PendingRequests {
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #prefix: string | undefined;
  #nextId = 1;

  /** Ids are numbers, or strings that begin with `prefix`. */
  constructor(prefix?: string) {
    this.#prefix = prefix;
  }

  /** `toParams` gets the id of the request, for params that contain it. */
  send(
    sender: Sender,
    method: string,
    toParams: (id: RequestId) => Params,
    options: PendingOptions,
  ): Promise<Params> {
    const { timeoutMs, longestMs, signal, onProgress } = options;
    signal?.throwIfAborted();
    const number = this.#nextId++;
    const id = this.#prefix === undefined ? number : `${this.#prefix}${number}`;
    return new Promise((resolve, reject) => {
      const giveUp = (reason: string, thrown: unknown): void => {
        stopWaiting();
        const params = { requestId: id, reason };
        // Clients must not cancel the handshake (2025-11-25 cancellation#behavior-requirements).
        if (method !== "initialize")
          sender.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
        reject(thrown);
      };
      const expire = (waited: number): void =>
        giveUp("timed out", new TimeoutError(`${method} was not answered within ${waited} ms`));
      const abort = (): void => giveUp("no longer needed", signal?.reason);
      const startLongest = (): Timer =>
        longestMs === undefined ? undefined : startTimer(longestMs, () => expire(longestMs));
      let timer = startTimer(timeoutMs, () => expire(timeoutMs));
      let longest = startLongest();
      const stopWaiting = (): void => {
        clearTimeout(timer);
        clearTimeout(longest);
        signal?.removeEventListener("abort", abort);
        this.#waiting.delete(id);
      };
      signal?.addEventListener("abort", abort);
      this.#waiting.set(id, {
        resolve: (result) => (stopWaiting(), resolve(result)),
        reject: (reason) => (stopWaiting(), reject(reason)),
        progress: (params) => {
          clearTimeout(timer);
          timer = startTimer(timeoutMs, () => expire(timeoutMs));
          onProgress?.(params);
        },
        hold: (isHeld) => {
          clearTimeout(timer);
          clearTimeout(longest);
          if (isHeld) return;
          timer = startTimer(timeoutMs, () => expire(timeoutMs));
          longest = startLongest();
        },
      });
      try {
        sender.send({ jsonrpc: "2.0", id, method, params: toParams(id) });
      } catch (thrown) {
        stopWaiting();
        reject(thrown);
      }
    });
  }

  /** Answers to unknown requests, or that come too late, are dropped (cancellation#timing-considerations). */
  receiveResponse(response: JSONRPCResponse): void {
    const waiting = response.id === undefined ? undefined : this.#waiting.get(response.id);
    if (!waiting) return;
    if ("result" in response) return waiting.resolve(response.result);
    const { code, message, data } = response.error;
    waiting.reject(new ProtocolError(code, message, data));
  }

  /** Progress shows that the peer is at work, so the time-out starts again. */
  progress(params: Params): void {
    const { progressToken } = params;
    if (isRequestId(progressToken)) this.#waiting.get(progressToken)?.progress(params);
  }

  /** Time-outs stand still while a request is held, and start again after it. */
  hold(id: RequestId, isHeld: boolean): void {
    this.#waiting.get(id)?.hold(isHeld);
  }

  fail(id: RequestId, reason: Error): void {
    this.#waiting.get(id)?.reject(reason);
  }

  close(reason: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/** Infinity is a legitimate time-out, but setTimeout treats all values that are too large as zero. */
const startTimer = (ms: number, expire: () => void): Timer =>
  ms < 2 ** 31 ? setTimeout(expire, ms) : undefined;
