import { digestOf, Fault } from "@suite/server-kit/domain";

import { type Admission, toUrl } from "./admission.ts";
import type { Credentials } from "./credentials.ts";
import { Unsent } from "./explain.ts";
import type { FetchInit, OctokitFetch, SendRequest, SentAnswer } from "./octokit-fetch.ts";

const LOG = /\/actions\/jobs\/[^/]+\/logs$/;
const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Redirects that keep the method. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);

interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly init: FetchInit;
}

/**
 * Sends every request: checks admission at each hop, gives the token only to the API, uses ETags of cached responses, and
 * removes our tokens from the response.
 */
export class ApiTransport {
  readonly #send: SendRequest;
  readonly #admission: Admission;
  readonly #credentials: Credentials;
  readonly #baseUrl: string;
  readonly #cache = new EtagCache();
  /** Gets the response headers for the general token, not for those of single owners. */
  readonly #observe: (headers: ReadonlyMap<string, string>) => void;

  constructor(parts: {
    readonly send: SendRequest;
    readonly admission: Admission;
    readonly credentials: Credentials;
    readonly baseUrl: string;
    readonly observe: (headers: ReadonlyMap<string, string>) => void;
  }) {
    this.#send = parts.send;
    this.#admission = parts.admission;
    this.#credentials = parts.credentials;
    this.#baseUrl = parts.baseUrl;
    this.#observe = parts.observe;
  }

  readonly fetch: OctokitFetch = async (given, init) => {
    const url = toUrl(given);
    if (!this.#admission.isApi(url)) throw new Fault("permission_denied", `${url.host} is not GitHub's API.`);
    const method = (init.method ?? "GET").toUpperCase();
    let hop: Hop = { method, url, init: { ...init, keepEnd: LOG.test(url.pathname) } };
    for (let count = 0; count <= MOST_REDIRECTS; count += 1) {
      const response = await this.#sendOnce(hop);
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null) return response;
      hop = this.#follow(hop, response.status, location);
    }
    throw new Fault("unavailable", "GitHub redirected the request too often.");
  };

  async #sendOnce({ method, url, init }: Hop): Promise<Response> {
    // Elsewhere, such as in the store that GitHub redirects to for logs, no token is sent.
    if (!this.#admission.isApi(url)) {
      const { headers: { accept = "*/*" } = {}, keepEnd = false } = init;
      const response = await this.#send(url.href, {
        method,
        headers: { accept },
        keepEnd,
        signal: init.signal,
      });
      return this.#toResponse(response);
    }
    const admitted = await this.#admission
      .admit({ method, url, body: init.body, owner: init.owner })
      .catch(toUnsent);
    const owner = admitted.owner ?? init.owner;
    const sent: Record<string, string> = { ...init.headers };
    const isAppItself = sent["authorization"] !== undefined;
    const token = isAppItself
      ? undefined
      : await this.#credentials.tokenFor(owner, this.#baseUrl, this.fetch, init.signal);
    if (token !== undefined) sent["authorization"] = `Bearer ${token}`;
    const key = [digestOf(token ?? "", 16, "base64url"), sent["accept"] ?? "", admitted.url.href].join(" ");
    const known = method === "GET" ? this.#cache.find(key) : undefined;
    if (known) sent["if-none-match"] = known.headers["etag"] ?? "";
    const response = await this.#send(admitted.url.href, {
      ...init,
      method,
      headers: sent,
    });
    if (!this.#credentials.hasOwnToken(owner)) this.#observe(response.headers);
    if (response.status === 304 && known) {
      // Reading the empty body releases the request's place in the queue.
      await response.bytes();
      // Quota and date come from the new response.
      const headers = { ...known.headers, ...Object.fromEntries(response.headers) };
      headers["content-type"] = known.headers["content-type"] ?? "application/json";
      return new Response(Buffer.from(known.body), { status: known.status, headers });
    }
    const answer = await this.#toResponse(response);
    if (method === "GET" && response.status === 200) {
      const body = new Uint8Array(await answer.clone().arrayBuffer());
      this.#cache.keep(key, { status: 200, headers: Object.fromEntries(answer.headers), body });
    }
    return answer;
  }

  async #toResponse({ status, headers: received, bytes }: SentAnswer): Promise<Response> {
    const headers = new Headers([...received]);
    // The body is already decoded.
    headers.delete("content-encoding");
    headers.delete("content-length");
    const body = this.#credentials.hideBytes(await bytes());
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? Buffer.from(body) : null, { status, headers });
  }

  /** Follows to a renamed repository or an external store. Writes are never redirected away from the API. */
  #follow({ method, url, init }: Hop, status: number, location: string): Hop {
    const next = new URL(location, url);
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && (!KEEPS_METHOD.has(status) || !this.#admission.isApi(next))) {
      throw new Fault("conflict", `GitHub says that ${url.pathname} has moved. Nothing was changed.`, {
        hint: "The repository may have been renamed: look it up with search_repositories, and use its new name.",
      });
    }
    // Neither down to plain http, nor from elsewhere back to the API, where the token would be sent.
    const isBack = this.#admission.isApi(next) && !this.#admission.isApi(url);
    if (isBack || (next.protocol !== "https:" && next.origin !== url.origin)) {
      throw new Fault("permission_denied", `GitHub redirected to ${next.origin}, which is not safe.`);
    }
    // A renamed repository is named by its id, which does not tell whose token is for it.
    return {
      method,
      url: next,
      init: {
        ...init,
        owner: init.owner ?? (this.#admission.isApi(url) ? this.#admission.ownerIn(url) : undefined),
      },
    };
  }
}

function toUnsent(thrown: unknown): never {
  if (!(thrown instanceof Fault)) throw thrown;
  const { code, message, hint, retryable, retryAfterMs, details } = thrown;
  throw new Unsent(code, message, { hint, retryable, retryAfterMs, details, cause: thrown });
}

interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const LARGEST_ENTRY = 1024 * 1024;
const LARGEST_TOTAL = 16 * 1024 * 1024;

/** Responses with their ETags, by token, media type and URL. The least recently used are dropped first. */
class EtagCache {
  readonly #kept = new Map<string, KeptAnswer>();
  #bytes = 0;

  find(key: string): KeptAnswer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  keep(key: string, answer: KeptAnswer): void {
    this.#forget(key);
    if (answer.headers["etag"] === undefined || answer.body.length > LARGEST_ENTRY) return;
    this.#kept.set(key, answer);
    this.#bytes += answer.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= LARGEST_TOTAL) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.body.length ?? 0;
    this.#kept.delete(key);
  }
}
