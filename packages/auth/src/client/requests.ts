import { BlockList, isIP } from "node:net";

import { allowInsecureRequests, customFetch } from "oauth4webapi";

import { isSecure } from "../addresses.ts";
import { type Fetch, readText, platformFetch } from "../fetch-json.ts";
import { AuthorizationError } from "./error.ts";

/** What is handed to the library with every request. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
  readonly [customFetch]: (url: string, init: RequestInit) => Promise<Response>;
}

// oxlint-disable-next-line typescript/no-deprecated -- as a warning: `admit` decides which addresses need no TLS.
export const ADMITTED: object = { [allowInsecureRequests]: true };

/** The requests of one client to authorization servers: only to admitted addresses, and bounded in time and size. */
export class Requests {
  readonly #isInside: boolean;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;

  constructor(server: URL, request: Fetch | undefined, timeoutMs: number) {
    this.#isInside = isInside(server.hostname);
    this.#fetch = request ?? platformFetch();
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Addresses come from metadata that others wrote. None may lead away from TLS, and none that a server elsewhere names may
   * lead into this machine or its network.
   */
  admit(address: string, what: string): URL {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || url.username !== "" || url.password !== "" || url.hash !== "") {
      throw refuse(`${what} is not a usable address`);
    }
    if (!isSecure(url)) throw refuse(`${what}, ${url.origin}, does not use https`);
    if (!this.#isInside && isInside(url.hostname)) {
      throw refuse(
        `${what}, ${url.origin}, is inside this network, and the MCP server that led there is not`,
      );
    }
    return url;
  }

  get(address: string, what: string, options: RequestOptions): Promise<Response> {
    const { href } = this.admit(address, what);
    const headers = { ...options.headers, accept: "application/json" };
    return options[customFetch](href, { method: "GET", headers, redirect: "manual", signal: options.signal });
  }

  /** `revision` is what the client speaks to the MCP server, if it has said so (2025-03-26 authorization#2-3-1). */
  options(signal: AbortSignal, revision?: string): RequestOptions {
    return {
      signal,
      headers: revision === undefined ? {} : { "mcp-protocol-version": revision },
      ...ADMITTED,
      [customFetch]: (url, init) => this.#send(url, init),
    };
  }

  /** The answer, read to its end: the library would read any amount. Redirects are answers: nobody follows them. */
  async #send(address: string, init: RequestInit): Promise<Response> {
    const { href } = this.admit(address, "An endpoint of the authorization server");
    const controller = new AbortController();
    const outer = init.signal;
    const abort = (): void => controller.abort(outer?.reason);
    const timer = setTimeout(() => {
      controller.abort(new Error(`there was no answer within ${this.#timeoutMs} ms`));
    }, this.#timeoutMs);
    outer?.addEventListener("abort", abort);
    try {
      outer?.throwIfAborted();
      const response = await this.#fetch(href, { ...init, redirect: "manual", signal: controller.signal });
      const { status, headers } = response;
      const text = await readText(response.body, controller.signal);
      return new Response(text === "" ? null : text, { status, headers });
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    }
  }
}

const refuse = (message: string): AuthorizationError =>
  new AuthorizationError(
    `Nothing was sent there: ${message}`,
    "Ask those who run the MCP server to correct its metadata, or do not use it.",
  );

const INSIDE = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
] as const) {
  INSIDE.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
] as const) {
  INSIDE.addSubnet(network, bits, "ipv6");
}

/** Whether a host, as URLs spell it, is this machine or in its network. What a name resolves to is the business of `fetch`. */
function isInside(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const kind = isIP(name);
  if (kind === 0) return name === "localhost" || name.endsWith(".localhost");
  return INSIDE.check(name, kind === 6 ? "ipv6" : "ipv4");
}
