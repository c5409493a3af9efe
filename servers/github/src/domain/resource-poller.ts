import { digestOf, Fault } from "@suite/server-kit/domain";

import type { ApiRequest, Gateway, GatewayCall } from "./gateway/gateway.ts";

const MOST_WATCHED = 100;
const POLL_MS = 30_000;
/** A timer for much more would fire at once. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * Polls GitHub for changes. Without a change this costs no quota, because the request carries the ETag of the last response.
 */
export class ResourcePoller {
  readonly #gateway: Gateway;
  readonly #intervalMs: number;
  readonly #watched = new Set<() => void>();

  constructor(gateway: Gateway, intervalMs: number) {
    this.#gateway = gateway;
    this.#intervalMs = intervalMs;
  }

  /** Returns a function that stops it. */
  watch(requests: readonly ApiRequest[], changed: () => void): () => void {
    if (this.#watched.size >= MOST_WATCHED) {
      throw new Fault("unavailable", `${MOST_WATCHED} resources are watched already.`, { retryable: false });
    }
    const stopping = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let state: string | undefined;
    const look = async (): Promise<void> => {
      const { state: now, waitMs } = await this.#look(requests, stopping.signal);
      if (stopping.signal.aborted) return;
      if (state !== undefined && now !== undefined && now !== state) changed();
      state = now ?? state;
      const pauseMs = Math.min(Math.max(this.#intervalMs, waitMs), LONGEST_WAIT_MS);
      timer = setTimeout(() => void look(), pauseMs).unref();
    };
    const stop = (): void => {
      stopping.abort();
      clearTimeout(timer);
      this.#watched.delete(stop);
    };
    this.#watched.add(stop);
    void look();
    return stop;
  }

  close(): void {
    for (const stop of this.#watched) stop();
  }

  /** The current state, undefined after a failure, and how long GitHub asks us to wait. */
  async #look(
    requests: readonly ApiRequest[],
    stopped: AbortSignal,
  ): Promise<{ state: string | undefined; waitMs: number }> {
    let waitMs = 0;
    const states: string[] = [];
    try {
      for (const request of requests) {
        const endsAt = Date.now() + POLL_MS;
        const signal = AbortSignal.any([stopped, AbortSignal.timeout(POLL_MS)]);
        const call: GatewayCall = {
          principal: "",
          signal,
          timeLeft: () => endsAt - Date.now(),
          ask: undefined,
          cleared: new Map(),
        };
        const { data, headers } = await this.#gateway.request({ ...request, isUnread: true }, call);
        waitMs = Math.max(waitMs, (Number(headers["x-poll-interval"]) || 0) * 1000);
        states.push(String(headers["etag"] ?? digestOf(JSON.stringify(data), 64)));
      }
      return { state: states.join(" "), waitMs };
    } catch (thrown) {
      const retryAfterMs = thrown instanceof Fault ? (thrown.retryAfterMs ?? 0) : 0;
      return { state: undefined, waitMs: retryAfterMs };
    }
  }
}
