import type { IncomingMessage } from "node:http";

import type { RequestHead } from "./exchange.ts";

const ABSOLUTE = /^https?:\/\//i;

/** The head of a request as node:http has read it. */
export class NodeRequest implements RequestHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #headers: IncomingMessage["headers"];
  readonly #rawHeaders: readonly string[];
  /** The host of an absolute target: the Host header is then ignored (RFC 9112, section 3.2.2). */
  readonly #host: string | undefined;
  #repeated: ReadonlySet<string> | undefined;

  constructor({ method = "GET", url = "/", headers, rawHeaders }: IncomingMessage) {
    this.method = method;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    const absolute = ABSOLUTE.test(url) && URL.canParse(url) ? new URL(url) : undefined;
    this.#host = absolute?.host;
    const target = absolute ? absolute.pathname + absolute.search : url;
    const mark = target.indexOf("?");
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? "" : target.slice(mark + 1);
  }

  header(name: string): string | undefined {
    if (name === "host" && this.#host !== undefined) return this.#host;
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  repeats(name: string): boolean {
    this.#repeated ??= findRepeated(this.#rawHeaders, this.#headers);
    return this.#repeated.has(name);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The names that occur more than once. In `rawHeaders`, names and values alternate. */
function findRepeated(rawHeaders: readonly string[], joined: object): ReadonlySet<string> {
  // Node joins repeated lines, so with equal counts there are none.
  if (Object.keys(joined).length * 2 === rawHeaders.length) return NONE;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  return repeated;
}
