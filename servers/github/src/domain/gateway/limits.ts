import { isObject } from "@suite/server-kit/domain";

import { toFields, toList, toText } from "../answers/projection.ts";
import type { OctokitAnswer } from "./octokit-fetch.ts";

export interface Limit {
  /** The limit on bursts, not the hourly quota. */
  readonly isSecondary: boolean;
  readonly retryAfterMs: number;
}

/** An Enterprise Server without limits says this, with status 404. */
export const UNLIMITED = /Rate limiting is not enabled/i;

/** GitHub's documented wait if a response names none. */
const UNSAID_SECONDS = 60;
const LEAST_MS = 1000;
/** Longer than any limit lasts. A timer for much more would fire at once. */
const LONGEST_MS = 86_400_000;
const bounded = (ms: number): number => Math.min(Math.max(ms, LEAST_MS), LONGEST_MS);

/** The rate limit reported in a response. GraphQL may report it with status 200. */
export function limitOf({ status, headers, data }: OctokitAnswer): Limit | undefined {
  const { message, errors, data: found } = toFields(data);
  const isRefusal = status === 403 || status === 429;
  const isSpent = isRefusal && String(headers["x-ratelimit-remaining"]) === "0";
  const words = [message, ...toList(errors).map((error) => toFields(error)["message"])];
  const isTold =
    headers["retry-after"] !== undefined ||
    words.some((each) => /secondary rate|abuse detection/i.test(toText(each)));
  const isUnanswered = status === 200 && !isObject(found);
  if (((isRefusal || isUnanswered) && isTold) || (status === 429 && !isSpent)) {
    const seconds = Number(headers["retry-after"]) || UNSAID_SECONDS;
    return { isSecondary: true, retryAfterMs: bounded(seconds * 1000) };
  }
  // RATE_LIMIT or RATE_LIMITED.
  const isOfGraphql = toList(errors).some((error) =>
    toText(toFields(error)["type"]).startsWith("RATE_LIMIT"),
  );
  if (!isSpent && !isOfGraphql) return undefined;
  const resetAt = (Number(headers["x-ratelimit-reset"]) || 0) * 1000;
  // By GitHub's clock, because ours may be off.
  const now = Date.parse(String(headers["date"])) || Date.now();
  return { isSecondary: false, retryAfterMs: bounded(resetAt - now + LEAST_MS) };
}
