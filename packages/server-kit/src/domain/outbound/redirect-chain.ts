import { isUtf8 } from "node:buffer";

import { Fault } from "../errors/fault.ts";
import { toAbortFault } from "../errors/to-fault.ts";
import { type OutboundOptions, type OutboundRequest, toAuditUrl } from "./request.ts";
import { decodeBody } from "./body.ts";
import type { UndiciClient, HopAnswer } from "./undici-client.ts";
import {
  parseRetryAfter,
  toHarmless,
  toOutboundHeaders,
  toRequestHeaders,
  withoutContent,
} from "./headers.ts";
import { createRateLimited, type HostQueues } from "./host-queues.ts";
import { type BodyEnd, collect, type OutboundResponse, readBody } from "./response.ts";
import { toOutboundFault } from "./to-outbound-fault.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const EMPTY = new Set([204, 205, 304]);
const MOST_REDIRECTS = 10;
const MAX_TIMER_MS = 2 ** 31 - 1;
const LARGEST_DUMP = 16_384;
/** Shared: creating an error per request would cost more than the rest of the cleanup. */
const OVER = new Fault("cancelled", "The request is over");

/** Shared by all requests of one `Outbound`. */
export interface OutboundParts {
  readonly options: OutboundOptions;
  readonly check: (url: string | URL, base?: URL) => URL;
  readonly queues: HostQueues;
  readonly connect: () => Promise<UndiciClient>;
  readonly toHeaders: (url: URL, own: Record<string, string>) => Record<string, string>;
}

/** One request with its redirects, up to the last byte of the body, under one deadline. */
export class RedirectChain {
  readonly #shared: OutboundParts;
  readonly #request: OutboundRequest;
  readonly #controller = new AbortController();
  readonly #startedAt = performance.now();
  readonly #time = new Date().toISOString();
  readonly #redirects: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** For the request's own timeout, which does not count the time in the queue. */
  #ownTimer: NodeJS.Timeout | undefined;
  #queuedMs = 0;
  #leave: (() => void) | undefined;
  #first: URL | undefined;
  #last: URL | undefined;
  #answer: HopAnswer | undefined;
  readonly #abort = (): void => {
    const { signal } = this.#request;
    if (signal) this.#controller.abort(toAbortFault(signal));
  };

  constructor(shared: OutboundParts, request: OutboundRequest) {
    this.#shared = shared;
    this.#request = request;
  }

  async run(given: string | URL): Promise<OutboundResponse> {
    const { signal } = this.#request;
    if (signal?.aborted === true) throw toAbortFault(signal);
    const headers = toRequestHeaders(this.#request.headers ?? {});
    const url = this.#shared.check(given);
    this.#first = this.#last = url;
    signal?.addEventListener("abort", this.#abort);
    // The caller may have received the response and never read its body: free it here.
    this.#controller.signal.addEventListener("abort", () => {
      if (this.#timer === undefined) return;
      setImmediate(() => this.#end({ bytes: 0, thrown: this.#controller.signal.reason }));
    });
    const { timeoutMs } = this.#shared.options;
    this.#timer = this.#abortAfter(timeoutMs, timeoutMs);
    this.#continueOwnTime();
    try {
      const answer = await this.#follow(url, headers);
      return await this.#toResponse(answer);
    } catch (thrown) {
      throw this.#end({ bytes: 0, thrown });
    }
  }

  #abortAfter(ms: number, timeoutMs: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        const message = `${this.#last?.host ?? "The host"} did not finish within ${timeoutMs} ms`;
        this.#controller.abort(new Fault("timeout", message));
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  }

  #continueOwnTime(): void {
    const { timeoutMs } = this.#request;
    if (timeoutMs === undefined) return;
    const usedMs = performance.now() - this.#startedAt - this.#queuedMs;
    this.#ownTimer = this.#abortAfter(timeoutMs - usedMs, timeoutMs);
  }

  async #queue(host: string): Promise<void> {
    const since = performance.now();
    clearTimeout(this.#ownTimer);
    this.#leave = await this.#shared.queues.enter(host, this.#controller.signal);
    this.#queuedMs += performance.now() - since;
    this.#continueOwnTime();
  }

  /** Goes from hop to hop until one does not redirect. */
  async #follow(first: URL, headers: Record<string, string>): Promise<HopAnswer> {
    const { redirect = "follow", method = "GET", body } = this.#request;
    let hop = { url: first, method: method.toUpperCase(), headers, body };
    for (;;) {
      const answer = await this.#send(hop);
      const location = REDIRECTS.has(answer.status) ? answer.headers["location"] : undefined;
      if (typeof location !== "string" || redirect === "manual") return answer;
      this.#discard(answer);
      if (this.#redirects.length >= MOST_REDIRECTS) throw createTooManyRedirects(first);
      const url = this.#shared.check(toText(location), hop.url);
      if (url.hash === "") url.hash = hop.url.hash;
      if (this.#redirects.includes(url.href) || url.href === hop.url.href) throw createLoop(url);
      this.#redirects.push(hop.url.href);
      hop = toNextHop(hop, url, answer.status);
      this.#last = url;
    }
  }

  async #send({ url, method, headers, body }: HopRequest): Promise<HopAnswer> {
    const { signal } = this.#controller;
    await this.#request.checkHop?.(url, signal);
    signal.throwIfAborted();
    await this.#queue(url.host);
    const client = await this.#shared.connect();
    this.#answer = undefined;
    const answer = await client.send(url, {
      method,
      headers: this.#shared.toHeaders(url, headers),
      body,
      signal,
    });
    this.#answer = answer;
    // A connection may break after the reader stopped: without a listener, the error would be uncaught.
    answer.body.on("error", () => undefined);
    return answer;
  }

  #discard(answer: HopAnswer): void {
    answer.body.dump({ limit: LARGEST_DUMP, signal: this.#controller.signal }).catch(() => undefined);
    this.#leave?.();
  }

  async #toResponse(answer: HopAnswer): Promise<OutboundResponse> {
    const headers = toOutboundHeaders(answer.headers);
    const url = this.#last as URL;
    const { status } = answer;
    const retryAfter = headers.get("retry-after");
    const isRateLimit = status === 429 || (status === 503 && retryAfter !== undefined);
    if (isRateLimit && this.#request.rateLimits !== "return") {
      const retryAfterMs = parseRetryAfter(retryAfter, Date.now());
      if (retryAfterMs !== undefined) this.#shared.queues.hold(url.host, retryAfterMs);
      throw createRateLimited(
        `${toAuditUrl(url)} answered with status ${status}: the host asks for a pause`,
        retryAfterMs,
      );
    }
    const maxBytes = Math.min(this.#request.maxBytes ?? Infinity, this.#shared.options.maxBytes);
    const isEmpty =
      this.#request.method?.toUpperCase() === "HEAD" ||
      EMPTY.has(status) ||
      headers.get("content-length") === "0";
    const encoding = isEmpty ? undefined : headers.get("content-encoding");
    const body = await decodeBody(answer.body, encoding, maxBytes);
    const stream = readBody(body, maxBytes, (outcome) => this.#end(outcome));
    const bytes = (): Promise<Uint8Array> => collect(stream);
    return {
      url: url.href,
      status,
      headers,
      redirects: this.#redirects,
      stream,
      bytes,
      text: async () => new TextDecoder().decode(await bytes()),
      discard: () => {
        this.#end({ bytes: 0 });
      },
    };
  }

  /** Releases everything, writes the audit line, and returns the fault to throw. Later calls only return the fault. */
  #end({ bytes, thrown }: BodyEnd): unknown {
    const { signal } = this.#controller;
    const cause = signal.aborted && !(thrown instanceof Fault) ? (signal.reason as unknown) : thrown;
    const fault = thrown === undefined ? undefined : toOutboundFault(cause, this.#last?.host ?? "The host");
    if (this.#timer === undefined) return fault;
    clearTimeout(this.#timer);
    clearTimeout(this.#ownTimer);
    this.#timer = undefined;
    this.#request.signal?.removeEventListener("abort", this.#abort);
    if (!(this.#answer?.body.readableEnded ?? true)) this.#answer?.body.destroy();
    this.#controller.abort(OVER);
    this.#leave?.();
    this.#writeAudit(bytes, fault?.code ?? "ok");
    return fault;
  }

  #writeAudit(bytes: number, outcome: string): void {
    const first = this.#first as URL;
    const last = this.#last as URL;
    const { status, address, isProxied } = this.#answer ?? {};
    this.#shared.options.audit?.({
      time: this.#time,
      method: this.#request.method?.toUpperCase() ?? "GET",
      url: toAuditUrl(first),
      ...(this.#redirects.length > 0 && { finalUrl: toAuditUrl(last) }),
      ...(status !== undefined && { status }),
      outcome,
      bytes,
      durationMs: Math.round(performance.now() - this.#startedAt),
      redirects: this.#redirects.length,
      ...(address !== undefined && { address }),
      ...(isProxied === true && { proxied: true as const }),
    });
  }
}

/** Headers are decoded as Latin-1, but non-ASCII text in a Location is nearly always UTF-8. */
function toText(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString() : header;
}

interface HopRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
}

/** The request to a redirect's target. Another origin gets only harmless headers and no body. */
function toNextHop({ url, method, headers, body }: HopRequest, next: URL, status: number): HopRequest {
  if (url.protocol === "https:" && next.protocol === "http:") {
    throw new Fault("permission_denied", `${url.host} redirects from https to http, which is not followed`, {
      details: { location: toAuditUrl(next) },
    });
  }
  const isSameOrigin = url.origin === next.origin;
  const own = isSameOrigin ? headers : toHarmless(headers);
  const becomesGet =
    status === 303 ? method !== "HEAD" : (status === 301 || status === 302) && method === "POST";
  if (becomesGet) return { url: next, method: "GET", headers: withoutContent(own), body: undefined };
  if (body !== undefined && !isSameOrigin) {
    throw new Fault(
      "permission_denied",
      `${url.host} redirects the request body to ${next.host}, which is not followed`,
    );
  }
  return { url: next, method, headers: own, body };
}

const createTooManyRedirects = (url: URL): Fault =>
  new Fault("unavailable", `${url.host} redirects more than ${MOST_REDIRECTS} times`, { retryable: false });

const createLoop = (url: URL): Fault =>
  new Fault("unavailable", `${url.host} redirects in a circle`, { retryable: false });
