import { isObject } from "@suite/server-kit/domain";

import { toFields, toList, toText } from "../projection.ts";
import type { OctokitAnswer } from "./octokit-fetch.ts";

export interface Limit {
  /** Against bursts, not the one of the hour. */
  readonly isSecondary: boolean;
  readonly retryAfterMs: number;
}

/** What an Enterprise Server may say, with 404, of its quotas. */
export const UNLIMITED = /Rate limiting is not enabled/i;

/** What GitHub asks for where it names no time itself. */
const UNSAID_SECONDS = 60;
const LEAST_MS = 1000;
/** Longer than any limit lasts: whoever says more is mistaken, and a timer for much more would ring at once. */
const LONGEST_MS = 86_400_000;
const bounded = (ms: number): number => Math.min(Math.max(ms, LEAST_MS), LONGEST_MS);

/** The limit that an answer tells of. GraphQL tells of them with status 200, too. */
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
  // GitHub writes RATE_LIMITED, too.
  const isOfGraphql = toList(errors).some((error) =>
    toText(toFields(error)["type"]).startsWith("RATE_LIMIT"),
  );
  if (!isSpent && !isOfGraphql) return undefined;
  const resetAt = (Number(headers["x-ratelimit-reset"]) || 0) * 1000;
  return { isSecondary: false, retryAfterMs: bounded(resetAt - Date.now() + LEAST_MS) };
}
