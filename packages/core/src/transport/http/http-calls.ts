import { type ClientAuthorization, RenewalError } from "./client-authorization.ts";
import type { Headers } from "./exchange.ts";

/** For `FetchTransport`. */
export interface FetchTransportOptions {
  /** Called for the headers of every request, for instance Authorization. */
  readonly headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** For servers that want a token. */
  readonly authorization?: ClientAuthorization;
  /** Used instead of the global `fetch`: the place for proxies and the like. */
  readonly fetch?: typeof globalThis.fetch;
  /** Called for tools that had to be left out. */
  readonly onWarning?: (message: string) => void;
}

/** What `initialize` agreed on. The modern era has no sessions. */
export interface AgreedSession {
  readonly id: string | undefined;
  readonly version: string;
}

const POST_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Unauthorized, and forbidden to this token: another may do. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403]);
/** How often a refused request is repeated with other credentials. */
const MOST_RENEWALS = 3;

const MOST_REDIRECTS = 5;
/** The redirects that keep method and body: after the others, clients send a GET. */
const REPEATS_REQUEST: ReadonlySet<number> = new Set([307, 308]);

/** The HTTP requests of one client to one server. */
export class HttpCalls {
  session: AgreedSession | undefined;
  readonly #url: string;
  readonly #options: FetchTransportOptions;

  constructor(url: string | URL, options: FetchTransportOptions) {
    this.#url = String(url);
    this.#options = options;
  }

  /** `hold` is told when the request begins to wait for a person, and when that is over. */
  post(
    body: string,
    mirrored: Headers,
    signal: AbortSignal,
    hold?: (isHeld: boolean) => void,
    url: string = this.#url,
  ): Promise<Response> {
    return this.#call({ method: "POST", body, signal }, { ...POST_HEADERS, ...mirrored }, hold, url);
  }

  /** Another address of the same server, as it names it. Throws if it is another server's. */
  within(address: string): string {
    const { href, origin } = new URL(address, this.#url);
    if (origin === new URL(this.#url).origin) return href;
    throw new Error(`it wants its messages at ${origin}. Connect to that address if you trust it`);
  }

  /** The standalone stream of the session, or the rest of the stream of `lastEventId`. */
  get(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    return this.#call({ method: "GET", signal }, { accept: "text/event-stream", ...resume });
  }

  delete(signal: AbortSignal): Promise<Response> {
    return this.#call({ method: "DELETE", signal }, {});
  }

  async #call(
    init: RequestInit,
    headers: Headers,
    hold?: (isHeld: boolean) => void,
    start: string = this.#url,
  ): Promise<Response> {
    const { id, version } = this.session ?? {};
    const own = {
      ...(version !== undefined && { "mcp-protocol-version": version }),
      ...(id !== undefined && { "mcp-session-id": id }),
    };
    const { headers: given, fetch = globalThis.fetch, authorization } = this.#options;
    const all: RequestInit = {
      ...init,
      headers: { ...own, ...headers, ...(await given?.()) },
      redirect: "manual",
    };
    if (!authorization) return followWithin(start, (url) => fetch(url, all));
    for (let renewals = 0; ; renewals += 1) {
      const response = await followWithin(start, (url) => authorization.send(url, all, fetch));
      if (!REFUSALS.has(response.status) || renewals === MOST_RENEWALS) return response;
      hold?.(true);
      try {
        if (!(await authorization.renew(response, all))) return response;
      } catch (thrown) {
        await response.body?.cancel();
        throw new RenewalError(thrown as Error);
      } finally {
        hold?.(false);
      }
      await response.body?.cancel();
    }
  }
}

/** Follows redirects within one origin only: credentials and arguments must not reach another server. */
async function followWithin(start: string, send: (url: string) => Promise<Response>): Promise<Response> {
  let url = start;
  for (let followed = 0; ; followed += 1) {
    const response = await send(url);
    const { status, headers } = response;
    const location = status >= 300 && status < 400 ? headers.get("location") : null;
    if (location === null) return response;
    const { href, origin } = new URL(location, url);
    const isElsewhere = origin !== new URL(url).origin;
    if (!isElsewhere && (!REPEATS_REQUEST.has(status) || followed === MOST_REDIRECTS)) return response;
    await response.body?.cancel();
    if (isElsewhere) throw new Error(`it redirects to ${origin}. Connect to that address if you trust it`);
    url = href;
  }
}
