import { setTimeout as sleep } from "node:timers/promises";

import { Fault } from "@suite/server-kit/domain";

import type { OctokitFetch } from "./octokit-fetch.ts";

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Not the plugin's own number: it would try again whatever failed. Only 0 is safe to give. */
  readonly retries?: 0;
  /** When the caller stops waiting. */
  readonly deadlineAt: number;
}

export interface OctokitAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

export interface OctokitClient {
  request(route: string, params: Record<string, unknown>): Promise<OctokitAnswer>;
  describe(route: string, params: Record<string, unknown>): { method: string; url: string; body?: unknown };
}

/** Tried again, these would end the same; what limits ask for is the other plugin's business. */
const FINAL = [400, 401, 403, 404, 405, 409, 410, 412, 413, 422, 429, 451];

/** Refusals of ours are final, and the client takes nothing for final but an abort. Broken connections are not ours. */
const withFaults =
  (send: OctokitFetch): OctokitFetch =>
  async (url, init) => {
    try {
      return await send(url, init);
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code === "unavailable") throw thrown;
      const refusal = new Error(thrown.message, { cause: thrown });
      refusal.name = "AbortError";
      throw refusal;
    }
  };

const BURST = 10;
const REFILL_MS = 1000;

type Work = (...args: readonly unknown[]) => unknown;
type Limiter = { readonly schedule: (options: unknown, work: Work, ...args: unknown[]) => Promise<unknown> };

/**
 * GitHub asks for a second between writes, and the plugin keeps to it from the second one on. Commits take three: a few at
 * once do no harm, and only whoever keeps writing has to wait.
 */
class WritePace {
  #left = BURST;
  #filledAt = Date.now();

  async take(): Promise<void> {
    const now = Date.now();
    this.#left = Math.min(BURST, this.#left + (now - this.#filledAt) / REFILL_MS) - 1;
    this.#filledAt = now;
    if (this.#left < 0) await sleep(-this.#left * REFILL_MS);
  }

  /** In the shape in which the plugin has its own limiters. Searches have a quota of their own, which the plugin minds. */
  toThrottle(): object {
    const asGroup = (schedule: Limiter["schedule"]) => ({ key: (): Limiter => ({ schedule }) });
    return {
      triggersNotification: () => false,
      search: asGroup(async (_, work, ...args) => work(...args)),
      write: asGroup(async (_, work, ...args) => {
        await this.take();
        return work(...args);
      }),
    };
  }
}

/** GitHub's own client. Loaded with the first request: it would cost a start more than everything else. */
export async function createClient(
  baseUrl: string,
  userAgent: string,
  send: OctokitFetch,
): Promise<OctokitClient> {
  const [{ Octokit }, { throttling }, { retry }] = await Promise.all([
    import("@octokit/rest"),
    import("@octokit/plugin-throttling"),
    import("@octokit/plugin-retry"),
  ]);
  /** Waits for a limit to pass where the caller still waits by then; once, as a second time is no accident. */
  const waits = (seconds: number, { request }: { request?: unknown }, _: unknown, count: number): boolean => {
    const { deadlineAt = 0 } = (request ?? {}) as Partial<SendOptions>;
    return count === 0 && Date.now() + seconds * 1000 < deadlineAt - 1000;
  };
  const silent = (): void => undefined;
  const octokit = new (Octokit.plugin(throttling, retry))({
    baseUrl,
    userAgent,
    request: { fetch: withFaults(send) },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    throttle: {
      onRateLimit: waits,
      onSecondaryRateLimit: waits,
      ...new WritePace().toThrottle(),
    },
    retry: { retries: 2, retryAfterBaseValue: 300, doNotRetry: FINAL },
  });
  return {
    request: (route, params) => octokit.request(route, params) as Promise<OctokitAnswer>,
    describe: (route, params) => octokit.request.endpoint(route, params),
  };
}
