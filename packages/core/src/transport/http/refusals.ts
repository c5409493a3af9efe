import { classify } from "../../jsonrpc/classify.ts";
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  invalidParams,
  invalidRequest,
  parseError,
  ProtocolError,
  StoreUnavailable,
  toErrorObject,
} from "../../jsonrpc/error.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { META_PROTOCOL_VERSION } from "../../model/meta.ts";
import type { BodyProblem, Headers, HttpExchange } from "./exchange.ts";

export const JSON_TYPE: Headers = { "content-type": "application/json" };

/** In seconds: soon for a client that waits, yet enough for other requests to finish. */
export const RETRY_AFTER: Headers = { "retry-after": "1" };

/** Answers with a JSON-RPC error, with the id of the request if it has one. */
export function replyWithError(
  exchange: HttpExchange,
  status: number,
  headers: Headers,
  error: ProtocolError,
  id?: RequestId,
): void {
  const body = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: toErrorObject(error) };
  exchange.reply(status, { ...headers, ...JSON_TYPE }, JSON.stringify(body));
}

const BODY_REFUSALS: {
  readonly [Problem in BodyProblem["problem"]]: readonly [status: number, error: ProtocolError];
} = {
  "too-large": [413, invalidRequest("The body is too large")],
  "not-utf8": [400, parseError("Parse error: the body is not valid UTF-8")],
  "too-many": [
    503,
    new ProtocolError(INTERNAL_ERROR, "Too much data is being received at once: try again later"),
  ],
  aborted: [400, invalidRequest("The body is not complete")],
};

export function refuseBody(exchange: HttpExchange, headers: Headers, { problem }: BodyProblem): void {
  const [status, error] = BODY_REFUSALS[problem];
  replyWithError(exchange, status, status === 503 ? { ...headers, ...RETRY_AFTER } : headers, error);
}

export function refuseMethod(exchange: HttpExchange, headers: Headers, allow: string): void {
  const error = invalidRequest(`${exchange.method} is not allowed here`);
  replyWithError(exchange, 405, { ...headers, allow }, error);
}

/** Refuses a request for which the server or the caller has reached a limit. */
export function refuseMore(exchange: HttpExchange, headers: Headers, id?: RequestId): void {
  const error = new ProtocolError(INTERNAL_ERROR, "Too many requests or streams at once: try again later");
  replyWithError(exchange, 503, { ...headers, ...RETRY_AFTER }, error, id);
}

/** The caller has exceeded its rate limit. */
export class RateLimited extends ProtocolError {
  readonly headers: Headers;

  constructor(waitMs: number, perMinute: number) {
    const seconds = Math.ceil(waitMs / 1000);
    const isWorthWaiting = Number.isFinite(seconds);
    const advice = isWorthWaiting ? `Try again in ${seconds} s` : "Send fewer at once";
    super(INTERNAL_ERROR, `Too many requests: at most ${perMinute} a minute. ${advice}`);
    this.headers = isWorthWaiting ? { "retry-after": String(seconds) } : {};
  }
}

/** The server's or the caller's limit of sessions is reached. */
export class TooManySessions extends ProtocolError {
  static override readonly kind: string = "TooManySessions";

  constructor() {
    super(INVALID_REQUEST, "There are too many sessions: try again later");
  }
}

export class SessionGone extends ProtocolError {
  static override readonly kind: string = "SessionGone";

  constructor() {
    super(INVALID_REQUEST, "There is no such session: send initialize to start a new one");
  }
}

/**
 * Answers 404 if the session is gone, 503 if there are too many sessions or the store is unavailable, and 400 to what the
 * client did wrong; reports anything else and answers 500.
 */
export function refuseForNow(
  exchange: HttpExchange,
  headers: Headers,
  thrown: unknown,
  report: (thrown: unknown) => void,
): void {
  if (thrown instanceof SessionGone) return replyWithError(exchange, 404, headers, thrown);
  if (thrown instanceof StoreUnavailable || thrown instanceof TooManySessions)
    return replyWithError(exchange, 503, { ...headers, ...RETRY_AFTER }, thrown);
  if (thrown instanceof ProtocolError) return replyWithError(exchange, 400, headers, thrown);
  replyWithError(exchange, 500, headers, new ProtocolError(INTERNAL_ERROR, "Internal error"));
  report(thrown);
}

/** Answers a POST whose header names a modern revision but whose body is not a modern request: it must be a notification. */
export function answerWithoutMeta(
  exchange: HttpExchange,
  value: unknown,
  headers: Headers,
  id: RequestId | undefined,
): void {
  let refusal: ProtocolError | undefined;
  classify(
    value,
    {
      // No modern notification has a meaning over HTTP: accepted and ignored.
      notification: () => undefined,
      request: () => void (refusal = invalidParams(`_meta.${META_PROTOCOL_VERSION} is missing`)),
      response: () => void (refusal = invalidRequest("Clients do not send responses in this revision")),
      malformed: (error) => void (refusal = error),
    },
    undefined,
  );
  if (refusal) replyWithError(exchange, 400, headers, refusal, id);
  else exchange.reply(202, headers);
}
