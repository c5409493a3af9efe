import { Fault, type StopSignal } from "@suite/server-kit/domain";
import type { Outbound, OutboundResponse } from "@suite/server-kit/outbound";
import CachePolicy from "http-cache-semantics";

import { type CachedPage, PageCache } from "./cache.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { declaredType, type Got, type WebPage, toPageId, toPageUri } from "./page.ts";
import { Robots } from "./robots.ts";

export interface WebOptions {
  readonly outbound: Outbound;
  readonly cache: PageCache;
  /** The limit for a page. The limit of `outbound` must also allow for robots.txt. */
  readonly maxBytes: number;
  /** The timeout of each URL in a call for several, so that a slow one leaves time for the others. */
  readonly oneOfManyMs: number;
  /** The User-Agent for requests that a model decided on; `personUserAgent` for those that a person chose. */
  readonly userAgent: string;
  readonly personUserAgent: string;
  readonly ignoreRobots: boolean;
  /** Shared with the parsers. */
  readonly held: HeldBytes;
}

export interface GetOptions {
  readonly signal: StopSignal;
  /** The owner of the cached copy, if the transport knows the caller. */
  readonly principal: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call asks for other URLs, too. */
  readonly isOneOfMany?: boolean;
  /** Whether a person asked for this page: robots.txt does not apply then. */
  readonly isByPerson?: boolean;
  /** Continue in the cached copy, however old it is, so that offsets stay valid. */
  readonly isContinuing?: boolean;
  /** Accept a cached copy up to this age. */
  readonly maxAgeMs?: number;
  /** Ask the server even if the copy is fresh. */
  readonly isRefreshing?: boolean;
  /** Accept what arrived before the connection broke. */
  readonly mayBeCut?: boolean;
  /** Called with the media type while the page is still on its way. */
  readonly arriving?: (type: string) => void;
  /** Prefer HTML to a Markdown version of the page. */
  readonly prefersSource?: boolean;
}

const ACCEPT =
  "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, */*;q=0.5";
const ACCEPT_SOURCE = "text/html, application/xhtml+xml, application/json;q=0.8, */*;q=0.5";

/** Reserved for a body whose length is not announced. */
const UNKNOWN_BYTES = 1024 * 1024;

/** Gets pages from the cache if RFC 9111 allows it, otherwise from the network if robots.txt allows it. */
export class Web {
  readonly cache: PageCache;
  readonly #options: WebOptions;
  readonly #robots: Robots;

  constructor(options: WebOptions) {
    this.#options = options;
    this.cache = options.cache;
    this.#robots = new Robots(options.outbound, toProductToken(options.userAgent));
  }

  /** The normalized URL. Throws if it may not be fetched. */
  check(given: string): string {
    return toFetchable(this.#options.outbound.check(given));
  }

  /** Returns the page whatever its status is. Throws on network errors, and if robots.txt or a limit forbids it. */
  async get(given: string, options: GetOptions): Promise<Got> {
    const { signal, principal, isContinuing = false, isRefreshing = false, prefersSource = false } = options;
    const { maxAgeMs = 0 } = options;
    const url = this.check(given);
    const headers = { accept: prefersSource ? ACCEPT_SOURCE : ACCEPT, ...options.headers };
    const id = toPageId(principal, url, headers);
    const kept = await this.cache.get(id, principal);
    // Ids are hashes: a page is served for its own URL only.
    const known = kept?.page.url === url ? kept : undefined;
    if (known && (isContinuing || ageOf(known) < maxAgeMs)) return { page: known.page, cache: "copy" };
    const request = { url, method: "GET", headers };
    if (known && !isRefreshing && isFresh(known, request)) return { page: known.page, cache: "fresh" };
    const conditions = known && !known.isPassing ? conditionsOf(known, request) : {};
    let response = await this.#ask(url, { ...headers, ...conditions }, options, known);
    if (response.status === 304 && known) {
      response.discard();
      if (response.url === known.page.finalUrl) return this.#renew(known, request, response);
      // The redirect now leads to another page, so the conditions did not apply to it: ask again without them.
      response = await this.#ask(url, headers, options, known);
    }
    const page = await this.#receive({ id, principal, url }, response, options);
    const policy = new CachePolicy(
      request,
      { status: page.status, headers: { ...page.headers } },
      // No heuristic freshness: it would keep the oldest pages longest, and revalidating is cheap.
      { shared: false, cacheHeuristic: 0 },
    );
    if (page.status < 400 && !page.isCut)
      await this.cache.put({ page, policy, isPassing: !policy.storable() });
    signal.throwIfAborted();
    return { page, cache: "fetched" };
  }

  /** Only status and headers; not cached. */
  async head(given: string, options: Omit<GetOptions, "principal">): Promise<WebPage> {
    const url = this.check(given);
    const headers = { accept: ACCEPT, ...options.headers };
    const response = await this.#send(url, headers, options, "HEAD");
    response.discard();
    return { ...toHead({ id: "", principal: undefined, url }, response), body: new Uint8Array() };
  }

  async #ask(
    url: string,
    headers: Readonly<Record<string, string>>,
    options: GetOptions,
    known: CachedPage | undefined,
  ): Promise<OutboundResponse> {
    try {
      return await this.#send(url, headers, options);
    } catch (thrown) {
      throw known ? withCopy(thrown, known.page) : thrown;
    }
  }

  #send(
    url: string,
    headers: Readonly<Record<string, string>>,
    { signal, isByPerson = false, isOneOfMany = false }: Omit<GetOptions, "principal">,
    method = "GET",
  ): Promise<OutboundResponse> {
    const { outbound, maxBytes, oneOfManyMs, userAgent, personUserAgent, ignoreRobots } = this.#options;
    return outbound.fetch(url, {
      method,
      signal,
      maxBytes,
      ...(isOneOfMany && { timeoutMs: oneOfManyMs }),
      headers: { "user-agent": isByPerson ? personUserAgent : userAgent, ...headers },
      ...(!isByPerson && !ignoreRobots && { checkHop: (hop, stop) => this.#robots.require(hop, stop) }),
    });
  }

  /** Waits until there is room for the body. */
  async #receive(
    asked: PageAsked,
    response: OutboundResponse,
    { signal, mayBeCut = false, arriving }: GetOptions,
  ): Promise<WebPage> {
    const { held, maxBytes } = this.#options;
    let reserved = Math.min(toCount(response.headers.get("content-length")) ?? UNKNOWN_BYTES, maxBytes);
    await held.reserve(reserved, signal).catch((thrown: unknown) => {
      response.discard();
      throw thrown;
    });
    const { headers, ...head } = toHead(asked, response);
    arriving?.(declaredType({ headers }));
    // The body is already decompressed.
    const { "content-encoding": _, "content-length": __, ...unpacked } = headers;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let isCut = false;
    try {
      for await (const chunk of response.stream) {
        chunks.push(chunk);
        bytes += chunk.length;
        held.add(Math.max(0, bytes - reserved));
        reserved = Math.max(reserved, bytes);
      }
    } catch (thrown) {
      // Limits and cancellation are no broken connection.
      isCut = mayBeCut && bytes > 0 && thrown instanceof Fault && thrown.code === "unavailable";
      if (!isCut) throw thrown;
    } finally {
      held.release(reserved);
    }
    return { ...head, headers: unpacked, body: Buffer.concat(chunks), ...(isCut && { isCut }) };
  }

  async #renew(
    known: CachedPage,
    request: CachePolicy.HttpRequest,
    response: OutboundResponse,
  ): Promise<Got> {
    const headers = Object.fromEntries(response.headers);
    const { policy } = known.policy.revalidatedPolicy(request, { status: 304, headers });
    const page: WebPage = { ...known.page, fetchedAt: new Date().toISOString() };
    await this.cache.put({ page, policy, isPassing: false });
    return { page, cache: "revalidated" };
  }
}

const toCount = (text: string | undefined): number | undefined =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;

const ageOf = ({ page }: CachedPage): number => Date.now() - Date.parse(page.fetchedAt);

/** A redirected page is never fresh: the redirect may change before the page does. */
const isFresh = ({ page, policy, isPassing }: CachedPage, request: CachePolicy.HttpRequest): boolean =>
  !isPassing && page.redirects.length === 0 && policy.satisfiesWithoutRevalidation(request);

function conditionsOf({ policy }: CachedPage, request: CachePolicy.HttpRequest): Record<string, string> {
  const headers = policy.revalidationHeaders(request);
  const conditions: Record<string, string> = {};
  for (const name of ["if-none-match", "if-modified-since"]) {
    const value = headers[name];
    if (typeof value === "string") conditions[name] = value;
  }
  return conditions;
}

/** Without the fragment: it is not sent to the server, and does not make another page. */
export function toFetchable(url: string | URL): string {
  const bare = new URL(url);
  bare.hash = "";
  return bare.href;
}

type PageAsked = Pick<WebPage, "id" | "principal" | "url">;

function toHead(asked: PageAsked, response: OutboundResponse): Omit<WebPage, "body"> {
  const { status, url: finalUrl, redirects } = response;
  // Cookies are not kept.
  const { "set-cookie": _, ...headers } = Object.fromEntries(response.headers);
  return { ...asked, finalUrl, redirects, status, headers, fetchedAt: new Date().toISOString() };
}

/** If a site cannot be reached, the hint points to the cached copy. */
function withCopy(thrown: unknown, page: WebPage): unknown {
  if (!(thrown instanceof Fault) || (thrown.code !== "unavailable" && thrown.code !== "timeout"))
    return thrown;
  const { code, message, retryable, retryAfterMs, details, hint = "" } = thrown;
  return new Fault(code, message, {
    retryable,
    retryAfterMs,
    details: { ...details, copy: toPageUri(page.id) },
    hint: `${hint} A copy of ${page.fetchedAt} can be read as ${toPageUri(page.id)}.`.trim(),
    cause: thrown,
  });
}

/** The product name before the version, which robots.txt is matched against. */
const toProductToken = (userAgent: string): string => /^[\w-]+/.exec(userAgent)?.[0] ?? userAgent;

/** Throws a fault for an error status. */
export function requireOk(
  { status, finalUrl, headers }: WebPage,
  whereMissing = "Check the URL, or look for a link to the page.",
): void {
  if (status < 400) return;
  const details = { status, url: finalUrl };
  const said = `${finalUrl} answered with status ${status}`;
  if (status === 404 || status === 410) {
    throw new Fault("not_found", said, { hint: whereMissing, details });
  }
  if (status === 401 || status === 403 || status === 407 || status === 451) {
    const hint =
      headers["www-authenticate"] === undefined
        ? "The site does not let this server in."
        : "It wants credentials, which only the server's operator can configure.";
    throw new Fault("permission_denied", said, { hint, details });
  }
  if (status >= 500) throw new Fault("unavailable", said, { hint: "Try again later.", details });
  throw new Fault("invalid_input", said, { details });
}
