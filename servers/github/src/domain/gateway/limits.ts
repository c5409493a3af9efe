import { toFields, toList, toText } from "../projection.ts";
import type { OctokitAnswer } from "./octokit-fetch.ts";

export interface Limit {
  /** Against bursts, not the one of the hour. */
  readonly isSecondary: boolean;
  readonly retryAfterMs: number;
}

/** What GitHub asks for where it names no time itself. */
const UNSAID_SECONDS = 60;

/** The limit that an answer tells of. GraphQL tells of the hour's with status 200. */
export function limitOf({ status, headers, data }: OctokitAnswer): Limit | undefined {
  const { message, errors } = toFields(data);
  const isRefusal = status === 403 || status === 429;
  const isSpent = isRefusal && String(headers["x-ratelimit-remaining"]) === "0";
  const isTold =
    headers["retry-after"] !== undefined || /secondary rate|abuse detection/i.test(toText(message));
  if (isRefusal && (isTold || (status === 429 && !isSpent))) {
    return { isSecondary: true, retryAfterMs: (Number(headers["retry-after"]) || UNSAID_SECONDS) * 1000 };
  }
  if (!isSpent && !toList(errors).some((error) => toFields(error)["type"] === "RATE_LIMITED"))
    return undefined;
  const resetAt = (Number(headers["x-ratelimit-reset"]) || 0) * 1000;
  return { isSecondary: false, retryAfterMs: Math.max(0, resetAt - Date.now()) + 1000 };
}
