import { setTimeout as sleep } from "node:timers/promises";

import { Fault, isObject } from "@suite/server-kit/domain";

import { toFields, toList, toText } from "../answers/projection.ts";
import { Unsent, UNKNOWN_WHETHER_DONE } from "./explain.ts";
import { type Limit, limitOf } from "./limits.ts";
import type { OctokitAnswer } from "./octokit-fetch.ts";

export interface SendOptions {
  readonly signal: AbortSignal;
  /** For how many milliseconds the caller still waits. */
  readonly timeLeft: () => number;
  /** 0 for writes, which may have been done despite a failure. Rate limits are still waited for: nothing was done then. */
  readonly retries?: number;
}

const RETRIES = 2;
const FIRST_WAIT_MS = 300;
/** If a wait would leave less time than this, the error is returned at once. */
const LEAST_LEFT_MS = 1000;
const BURST = 10;
const REFILL_MS = 1000;

/**
 * GitHub asks for a second between writes. One commit takes three, so a short burst is allowed; only sustained writing waits.
 */
class WritePace {
  #left = BURST;
  #filledAt = Date.now();

  async take(signal: AbortSignal, timeLeft: () => number): Promise<void> {
    const now = Date.now();
    this.#left = Math.min(BURST, this.#left + (now - this.#filledAt) / REFILL_MS) - 1;
    this.#filledAt = now;
    if (this.#left >= 0) return;
    const waitMs = -this.#left * REFILL_MS;
    try {
      if (waitMs + LEAST_LEFT_MS >= timeLeft()) throw createTooMany(waitMs);
      await sleep(waitMs, undefined, { signal });
    } catch (thrown) {
      // Nothing was sent, so this write does not count.
      this.#left += 1;
      throw thrown;
    }
  }
}

const createTooMany = (waitMs: number): Fault =>
  new Fault("rate_limited", "Too many writes are waiting: GitHub asks for a second between them.", {
    retryAfterMs: Math.ceil(waitMs),
  });

/**
 * Paces writes, waits for rate limits, and retries failures of GitHub or the network, as long as the caller waits. The
 * outbound client limits how many requests run at once.
 */
export class Attempts {
  readonly #pace = new WritePace();

  async run(
    route: string,
    { signal, timeLeft, retries = RETRIES }: SendOptions,
    send: () => Promise<OctokitAnswer>,
  ): Promise<OctokitAnswer> {
    // GraphQL sends its queries with POST, too.
    const isWrite = retries === 0;
    const isGraphql = route.endsWith("/graphql");
    let failures = 0;
    let limits = 0;
    for (;;) {
      if (isWrite) await this.#pace.take(signal, timeLeft);
      try {
        const answer = await send();
        return isGraphql ? requireExecuted(answer) : answer;
      } catch (thrown) {
        const isUnsent = toFields(thrown)["cause"] instanceof Unsent;
        if (signal.aborted && retries === 0 && !isUnsent) throw toUnknown(signal.reason);
        const limit = limitIn(thrown);
        // Wait for a limit only once: after a second one, waiting is unlikely to help.
        const mayTryAgain = limit ? limits++ === 0 : isPassing(thrown) && failures++ < retries;
        const waitMs = limit?.retryAfterMs ?? FIRST_WAIT_MS * failures ** 2;
        if (!mayTryAgain || waitMs + LEAST_LEFT_MS >= timeLeft()) throw thrown;
        await sleep(waitMs, undefined, { signal });
      }
    }
  }
}

/** GraphQL reports limits and GitHub's own failures with status 200. */
function requireExecuted(answer: OctokitAnswer): OctokitAnswer {
  const { message } = toFields(toList(toFields(answer.data)["errors"])[0]);
  const hasFailed = /Something went wrong while executing your query/.test(toText(message));
  if (!hasFailed && limitOf(answer) === undefined) return answer;
  throw Object.assign(new Error("GitHub did not execute a GraphQL request"), {
    status: 500,
    response: answer,
  });
}

function limitIn(thrown: unknown): Limit | undefined {
  const { response } = toFields(thrown);
  // Octokit attaches the response to its errors.
  return isObject(response) ? limitOf(response as unknown as OctokitAnswer) : undefined;
}

/** Aborted while the request was under way: GitHub may have executed it. */
function toUnknown(reason: unknown): Fault {
  const code = reason instanceof Fault ? reason.code : "timeout";
  return new Fault(code, "Stopped while GitHub was working on it.", {
    retryable: false,
    hint: UNKNOWN_WHETHER_DONE,
    cause: reason,
  });
}

/** A server error, or a broken connection, which Octokit reports as 500. Our own refusals, its `cause`, are final. */
function isPassing(thrown: unknown): boolean {
  const { status, cause } = toFields(thrown);
  const isFinal = cause instanceof Fault && !(cause.code === "unavailable" && cause.retryable);
  return typeof status === "number" && (status >= 500 || status === 408) && !isFinal;
}
