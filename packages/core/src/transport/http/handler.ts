import { INTERNAL_ERROR, invalidParams, invalidRequest, ProtocolError } from "../../jsonrpc/error.ts";
import { isObject, isRequestId, type JSONRPCRequest, type RequestId } from "../../jsonrpc/message.ts";
import { parseMessage } from "../../jsonrpc/parse-json.ts";
import type { Era } from "../../model/capabilities.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import { readModernMeta, unsupportedVersion } from "../../revision/modern-request.ts";
import { dialectOf } from "../../revision/revisions.ts";
import {
  allows,
  scopeNeeded,
  type AdmittedRequest,
  type Authorizer,
  type Caller,
  type Refusal,
} from "./authorization.ts";
import { isBrokenNotification, isRequest } from "./body-kinds.ts";
import type { Headers, HttpExchange, RequestHead } from "./exchange.ts";
import type { CallerLimits, CallerUsage } from "./caller-usage.ts";
import { Capacity, type HandlerLoad, Reservation } from "./capacity.ts";
import { corsHeaders, preflightHeaders, refuse, type GuardOptions } from "./guard.ts";
import { checkAnnotations } from "./header-checks.ts";
import { type HttpParts, OWN_PARTS } from "./http-parts.ts";
import type { HttpServable } from "./http-servable.ts";
import { deleteLegacy, getLegacy, postLegacy } from "./legacy.ts";
import { acceptsBoth, hasMediaType } from "./media-types.ts";
import { LISTEN, serveModern } from "./modern.ts";
import { MESSAGES_PATH, OldSse, SSE_PATH } from "./old-sse.ts";
import { OpenStreams } from "./open-streams.ts";
import type { RateLimit } from "./rate-limit.ts";
import {
  answerWithoutMeta,
  JSON_TYPE,
  refuseBody,
  refuseMethod,
  refuseMore,
  replyWithError,
  RETRY_AFTER,
  RateLimited,
} from "./refusals.ts";
import type { HttpSessions, SessionOptions } from "./sessions.ts";

export interface HandlerOptions extends GuardOptions {
  readonly path: string;
  readonly largestBody: number;
  readonly sessions: SessionOptions;
  /** How many requests there may be at once, in sessions and without. */
  readonly mostRequests: number;
  readonly perCaller: CallerLimits;
  /** Per caller; unlimited if undefined. */
  readonly requestsPerMinute: number | undefined;
  readonly authorizer: Authorizer | undefined;
  readonly hasOldSse: boolean;
  readonly keepAliveMs: number;
}

/** Streamable HTTP at one endpoint, both eras at once: the legacy one with sessions, the modern one without. */
export class HttpHandler {
  readonly streams: OpenStreams;
  readonly sessions: HttpSessions;
  readonly #server: HttpServable;
  readonly #options: HandlerOptions;
  readonly #oldSse: OldSse | undefined;
  readonly #usage: CallerUsage;
  readonly #capacity: Capacity;
  readonly #rate: RateLimit | undefined;
  #isDraining = false;

  constructor(server: HttpServable & { readonly replica: HttpParts | undefined }, options: HandlerOptions) {
    this.#server = server;
    this.#options = options;
    checkAnnotations(server.runtime.catalog);
    const parts = server.replica ?? OWN_PARTS;
    this.#usage = parts.createUsage(options.perCaller);
    this.#capacity = new Capacity(options.mostRequests, options.largestBody, this.#usage);
    const { requestsPerMinute } = options;
    if (requestsPerMinute !== undefined) this.#rate = parts.createRateLimit(requestsPerMinute);
    this.streams = new OpenStreams(options.keepAliveMs);
    this.sessions = parts.createSessions(server, this.streams, this.#usage, options.sessions);
    this.#oldSse = options.hasOldSse ? new OldSse(server, this.streams) : undefined;
  }

  handle(exchange: HttpExchange): void {
    const refusal = refuse(exchange, this.#options);
    if (refusal) return replyWithError(exchange, refusal.status, {}, invalidRequest(refusal.message));
    const headers = corsHeaders(exchange);
    this.#attempt(exchange, headers, () => this.#admit(exchange, headers));
  }

  /** No exception about one request may end the process, or leave the request without an answer. */
  #attempt(exchange: HttpExchange, headers: Headers, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      replyWithError(exchange, 500, headers, new ProtocolError(INTERNAL_ERROR, "Internal error"));
      this.#server.runtime.report(thrown);
    }
  }

  #admit(exchange: HttpExchange, headers: Headers): void {
    const { authorizer, path } = this.#options;
    if (exchange.method === "OPTIONS") return exchange.reply(204, preflightHeaders(exchange));
    if (exchange.path === "/healthz") {
      const [status, word] = this.#isDraining ? [503, "draining"] : [200, "ok"];
      return exchange.reply(status, { ...headers, ...JSON_TYPE }, JSON.stringify({ status: word }));
    }
    if (authorizer?.serve(exchange, headers)) return;
    const isOldPath = this.#oldSse && (exchange.path === SSE_PATH || exchange.path === MESSAGES_PATH);
    if (exchange.path !== path && !isOldPath) {
      return replyWithError(exchange, 404, headers, invalidRequest("There is nothing at this path"));
    }
    if (!authorizer) return this.#route(exchange, this.#enter(exchange, headers, undefined));
    void decide(authorizer, exchange).then((decision) =>
      this.#attempt(exchange, headers, () => {
        if ("principal" in decision) return this.#route(exchange, this.#enter(exchange, headers, decision));
        const refused = { ...headers, ...decision.headers };
        return replyWithError(exchange, decision.status, refused, invalidRequest(decision.message));
      }),
    );
  }

  /** The reservation is released when the exchange closes, unless the work of the request retains it. */
  #enter(exchange: HttpExchange, headers: Headers, caller: Caller | undefined): AdmittedRequest {
    const reservation = new Reservation(this.#capacity, caller?.principal);
    exchange.onClose(() => reservation.release());
    return { headers, caller, reservation };
  }

  get load(): HandlerLoad {
    const { streams, sessions } = this;
    return {
      requests: this.#capacity.requests.total,
      sessions: sessions.all().length,
      streams: streams.count,
      unreadBytes: streams.unread,
      waitingChanges: this.#server.runtime.changes.waiting ?? 0,
    };
  }

  /** Whether no request and no task is being worked on. */
  get isIdle(): boolean {
    if (!this.#server.runtime.tasks.areDone) return false;
    const isIdle = [...this.streams.busy].every(({ connection }) => connection.isIdle);
    return isIdle && this.sessions.areIdle;
  }

  /** Ends streams that never end by themselves, so that other work can finish. Call again for streams that open later. */
  drain(): void {
    this.#isDraining = true;
    this.sessions.drain();
    for (const endpoint of this.streams.busy) endpoint.connection.endStreams();
  }

  /** The same checks for WebSockets, which have no exchange to answer with. */
  async admitUpgrade(
    request: RequestHead,
  ): Promise<Omit<AdmittedRequest, "headers"> | { readonly status: number; readonly headers?: Headers }> {
    const { authorizer, path } = this.#options;
    const refusal = refuse(request, this.#options);
    if (refusal) return refusal;
    if (request.path !== path) return { status: 404 };
    const decision = authorizer && (await decide(authorizer, request));
    if (decision && !("principal" in decision)) return decision;
    const reservation = new Reservation(this.#capacity, decision?.principal);
    if (reservation.occupy() && reservation.openStream()) return { caller: decision, reservation };
    reservation.release();
    return { status: 503, headers: RETRY_AFTER };
  }

  /** The refusal if the caller lacks the scope for this message; otherwise undefined. */
  refuseMessage(message: unknown, caller: Caller | undefined): Refusal | undefined {
    const { authorizer } = this.#options;
    if (!authorizer) return undefined;
    const needed = scopeNeeded(message, this.#server.runtime.catalog);
    return allows(caller?.scopes ?? [], needed) ? undefined : authorizer.refuseScope(needed);
  }

  /** The error if these messages exceed the rate limit; otherwise undefined. Answers and notifications are work, too. */
  checkRate(value: unknown, caller: Caller | undefined): MaybePromise<RateLimited | undefined> {
    const rate = this.#rate;
    if (!rate) return undefined;
    const judge = (waitMs: number): RateLimited | undefined =>
      waitMs === 0 ? undefined : new RateLimited(waitMs, rate.perMinute);
    const wait = rate.take(caller?.principal, Array.isArray(value) ? value.length : 1);
    return wait instanceof Promise ? wait.then(judge) : judge(wait);
  }

  /** Answers what is still being worked on with errors. */
  abort(): void {
    const reason = new Error("The server is shutting down");
    for (const { endpoint } of this.sessions.all()) this.#server.close(endpoint, reason);
    for (const endpoint of this.streams.busy) this.#server.close(endpoint, reason);
  }

  close(): void {
    this.#usage.close();
    this.abort();
    this.sessions.close();
    this.streams.close();
  }

  #route(exchange: HttpExchange, admitted: AdmittedRequest): void {
    const { method, path } = exchange;
    if (this.#oldSse && path === SSE_PATH && method === "GET") {
      const { reservation, headers, caller } = admitted;
      if (!reservation.occupy() || !reservation.openStream()) return refuseMore(exchange, headers);
      return this.#oldSse.open(exchange, headers, caller);
    }
    if (path === SSE_PATH && path !== this.#options.path)
      return refuseMethod(exchange, admitted.headers, "GET");
    if (method === "POST") return this.#post(exchange, admitted);
    if (path !== this.#options.path) return refuseMethod(exchange, admitted.headers, "POST");
    const era = eraOf(exchange);
    if (era instanceof ProtocolError) return replyWithError(exchange, 400, admitted.headers, era);
    const isModern = era === "modern";
    if (!isModern && method === "GET") return getLegacy(this.sessions, exchange, admitted);
    if (!isModern && method === "DELETE") return deleteLegacy(this.sessions, exchange, admitted);
    refuseMethod(exchange, admitted.headers, isModern ? "POST" : "GET, POST, DELETE");
  }

  #post(exchange: HttpExchange, admitted: AdmittedRequest): void {
    const { headers, reservation } = admitted;
    if (!hasMediaType(exchange.header("content-type"), "application/json")) {
      return replyWithError(exchange, 415, headers, invalidRequest("Content-Type must be application/json"));
    }
    if ((exchange.header("content-encoding") ?? "identity").toLowerCase() !== "identity") {
      const plain = { ...headers, "accept-encoding": "identity" };
      return replyWithError(exchange, 415, plain, invalidRequest("The body must not be compressed"));
    }
    const isStreamable = exchange.path === this.#options.path;
    if (isStreamable && !acceptsBoth(exchange)) {
      const error = invalidRequest("Accept must list application/json and text/event-stream");
      return replyWithError(exchange, 406, headers, error);
    }
    exchange.readBody(
      (bytes) => reservation.hold(bytes),
      (body) => {
        if (typeof body !== "string") return refuseBody(exchange, headers, body);
        this.#attempt(exchange, headers, () => this.#receive(exchange, body, admitted));
      },
    );
  }

  #receive(exchange: HttpExchange, body: string, admitted: AdmittedRequest): void {
    const { headers, caller } = admitted;
    const value = parseMessage(body);
    if (value instanceof ProtocolError) return replyWithError(exchange, 400, headers, value);
    const id = isRequest(value) && isRequestId(value["id"]) ? value["id"] : undefined;
    if (isBrokenNotification(value))
      return replyWithError(exchange, 400, headers, invalidParams("params must be an object"));
    const refused = this.refuseMessage(value, caller);
    if (refused) {
      const refusedHeaders = { ...headers, ...refused.headers };
      return replyWithError(exchange, refused.status, refusedHeaders, invalidRequest(refused.message), id);
    }
    const deliverOrRefuse = (limited: RateLimited | undefined): void => {
      if (!limited) return this.#deliver(exchange, value, id, admitted);
      replyWithError(exchange, 429, { ...headers, ...limited.headers }, limited, id);
    };
    const checked = this.checkRate(value, caller);
    if (checked instanceof Promise)
      void checked.then((limited) => this.#attempt(exchange, headers, () => deliverOrRefuse(limited)));
    else deliverOrRefuse(checked);
  }

  #deliver(
    exchange: HttpExchange,
    value: unknown,
    id: RequestId | undefined,
    admitted: AdmittedRequest,
  ): void {
    const { headers, caller } = admitted;
    if (exchange.path !== this.#options.path) {
      if (this.#oldSse?.receive(exchange, value, headers, caller?.principal)) return;
      return replyWithError(exchange, 404, headers, invalidRequest("There is no such stream"));
    }
    const meta = isObject(value) && isObject(value["params"]) ? readModernMeta(value["params"]) : undefined;
    if (meta && id !== undefined) {
      const { reservation } = admitted;
      const isStream = (value as JSONRPCRequest).method === LISTEN;
      if (!reservation.occupy() || (isStream && !reservation.openStream()))
        return refuseMore(exchange, headers, id);
      const context = { caller, headers, streams: this.streams };
      return serveModern(this.#server, exchange, value as JSONRPCRequest, meta, context);
    }
    const era = eraOf(exchange);
    if (era instanceof ProtocolError) return replyWithError(exchange, 400, headers, era, id);
    if (era === "modern") return answerWithoutMeta(exchange, value, headers, id);
    postLegacy(this.sessions, exchange, value, admitted);
  }
}

/** The era of the revision that the header names, if there is one; an error if that revision is unknown. */
function eraOf(request: RequestHead): Era | ProtocolError {
  const version = request.header("mcp-protocol-version");
  if (version === undefined) return "legacy";
  return dialectOf(version)?.era ?? unsupportedVersion(version);
}

/** If the token cannot be checked, because the issuer is unavailable, the request is refused with 503. */
const decide = (authorizer: Authorizer, request: RequestHead): Promise<Caller | Refusal> =>
  authorizer.authorize(request).catch(() => ({
    status: 503,
    headers: RETRY_AFTER,
    message: "Authorization cannot be checked right now",
  }));
