import { isLoopback } from "../../values/loopback.ts";
import type { Headers, RequestHead } from "./exchange.ts";

/** Must not be repeated: a proxy might act on the first value and this server on another. */
const SINGLE: readonly string[] = [
  "host",
  "origin",
  "authorization",
  "content-type",
  "content-encoding",
  "mcp-session-id",
  "mcp-protocol-version",
  "last-event-id",
];

export interface GuardOptions {
  /** Host names (no port) this server answers to, besides those of loopback. */
  readonly allowedHosts: readonly string[];
  /** Web origins that may call from a browser, besides the server's own. */
  readonly allowedOrigins: readonly string[];
}

export interface GuardRefusal {
  readonly status: 400 | 403;
  readonly message: string;
}

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

/** As browsers write an origin: lower case, no default port. Anything but a bare origin is returned unchanged. */
export function toOrigin(text: string): string {
  if (!URL.canParse(text)) return text;
  const { href, origin } = new URL(text);
  return href === `${origin}/` ? origin : text;
}

/** The host without its port; undefined for anything that is not a host. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(?::\d{1,5})?$/i.exec(host ?? "");
  return match?.[1]?.toLowerCase();
}

/** Whether the value of a Host header names this machine. */
export const isLoopbackHost = (host: string | undefined): boolean => isLoopback(hostName(host) ?? "");

const forbid = (message: string): GuardRefusal => ({ status: 403, message });

/**
 * Keeps web pages out of local servers (DNS rebinding): Host must name an allowed host, and Origin, if there is one, an
 * allowed origin. Undefined if the request may pass.
 */
export function refuse(
  request: RequestHead,
  { allowedHosts, allowedOrigins }: GuardOptions,
): GuardRefusal | undefined {
  const repeated = SINGLE.find((name) => request.repeats(name));
  if (repeated !== undefined) return { status: 400, message: `There is more than one ${repeated} header` };
  const host = request.header("host");
  const name = hostName(host);
  if (name === undefined || !(isLoopback(name) || allowedHosts.includes(name)))
    return forbid("This host name is not served here");
  const origin = request.header("origin");
  if (origin === undefined || allowedOrigins.includes(origin)) return undefined;
  // A page of this very server: same host, same port.
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  return isOwn ? undefined : forbid("This origin is not allowed");
}

/** Lets the allowed page read the answer; without an origin there is no page. */
export function corsHeaders(request: RequestHead): Headers {
  const origin = request.header("origin");
  if (origin === undefined) return {};
  return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED, vary: "Origin" };
}

export function preflightHeaders(request: RequestHead): Headers {
  // Browsers list the Mcp-Param-* headers they mean to send: all of these are allowed.
  const asked = request.header("access-control-request-headers") ?? "";
  const params = asked.split(",").filter((name) => /^\s*mcp-param-[\w-]+\s*$/i.test(name));
  return {
    ...corsHeaders(request),
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": [ALLOWED_HEADERS, ...params].join(", "),
    "access-control-max-age": "600",
  };
}
