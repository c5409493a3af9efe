import type { Headers, HttpExchange } from "./exchange.ts";

type WithHeaders = Pick<HttpExchange, "header">;

export interface GuardOptions {
  /** Host names (no port) this server answers to. */
  readonly allowedHosts: readonly string[];
  /** Web origins that may call from a browser, besides the server's own. */
  readonly allowedOrigins: readonly string[];
}

export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";
const ALLOWED_HEADERS =
  "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID";

/** A name or address as requests may write it: addresses of IPv6 in brackets, as given and in their short form. */
export function toHostNames(host: string): readonly string[] {
  const name = host.toLowerCase();
  if (!name.includes(":")) return [name];
  const bracketed = name.startsWith("[") ? name : `[${name}]`;
  const url = `http://${bracketed}`;
  return URL.canParse(url) ? [bracketed, new URL(url).hostname] : [bracketed];
}

/** The host without its port; undefined for anything that is no host. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(?::\d{1,5})?$/i.exec(host ?? "");
  return match?.[1]?.toLowerCase();
}

/**
 * Keeps web pages out of local servers (DNS rebinding): a request must name a host that is ours, and if a browser sent it,
 * come from an origin that is. Says why not, or nothing.
 */
export function refuse(
  exchange: WithHeaders,
  { allowedHosts, allowedOrigins }: GuardOptions,
): string | undefined {
  const host = exchange.header("host");
  const name = hostName(host);
  if (name === undefined || !allowedHosts.includes(name)) return "This host name is not served here";
  const origin = exchange.header("origin");
  if (origin === undefined || allowedOrigins.includes(origin)) return undefined;
  // A page of this very server: same host, same port.
  return origin === `http://${host}` || origin === `https://${host}`
    ? undefined
    : "This origin is not allowed";
}

/** Lets the allowed page read the answer; without an origin there is no page. */
export function corsHeaders(exchange: WithHeaders): Headers {
  const origin = exchange.header("origin");
  if (origin === undefined) return {};
  return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED, vary: "Origin" };
}

export function preflightHeaders(exchange: HttpExchange): Headers {
  // Browsers list the Mcp-Param-* headers they mean to send; those are as welcome as the ones known here.
  const asked = exchange.header("access-control-request-headers") ?? "";
  const params = asked.split(",").filter((name) => /^\s*mcp-param-[\w-]+\s*$/i.test(name));
  return {
    ...corsHeaders(exchange),
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": [ALLOWED_HEADERS, ...params].join(", "),
    "access-control-max-age": "600",
  };
}
