import { Fault } from "../errors/fault.ts";
import { toVisibleLine } from "../text/reveal.ts";
import { classifyAddress, toLiteralAddress } from "./addresses.ts";

/** `example.com`, `*.example.com` (everything below it), each with a port or for all ports. */
export interface HostPattern {
  readonly host: string;
  readonly isWildcard: boolean;
  readonly port: string | undefined;
}

export interface HostRules {
  /** If not empty, all other hosts are refused. */
  readonly allow: readonly HostPattern[];
  /** Overrides `allow`. */
  readonly deny: readonly HostPattern[];
  /** Hosts that may be private and use any port. Set by the operator, never by a model. */
  readonly allowPrivate: readonly HostPattern[];
}

const PATTERN = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]*]+)(?::(\d{1,5}))?$/i;

/** Throws a RangeError if the text is not a pattern. */
export function parseHostPattern(text: string): HostPattern {
  const [, wildcard, host, port] = PATTERN.exec(text.trim()) ?? [];
  // URL parsing normalizes 127.1, 0x7f.1 and Bücher.example for comparison.
  const url = host === undefined ? undefined : tryUrl(`http://${host}`);
  if (url === undefined || Number(port ?? 0) > 65_535) {
    throw new RangeError(
      `${JSON.stringify(text)} is not a host: write example.com, *.example.com or example.com:8080`,
    );
  }
  return { host: toComparable(url.hostname), isWildcard: wildcard !== undefined, port };
}

export const matchesAny = (url: URL, patterns: readonly HostPattern[]): boolean => {
  const host = toComparable(url.hostname);
  const port = portOf(url);
  return patterns.some(
    (pattern) =>
      (pattern.isWildcard ? host.endsWith(`.${pattern.host}`) : host === pattern.host) &&
      (pattern.port === undefined || pattern.port === port),
  );
};

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/** Ignores a trailing dot, and unwraps an IPv4 address that is mapped to IPv6. */
const toComparable = (hostname: string): string =>
  toLiteralAddress(hostname) ?? hostname.toLowerCase().replace(/\.$/, "");

const WHOLE = "Give a full URL, as in https://example.com/page.";
const MAX_URL_LENGTH = 8192;

/** Parses a URL from a model or a page. Throws a Fault for URLs that no host rule could allow. */
export function parseOutboundUrl(given: string | URL, base?: URL): URL {
  const text = String(given);
  if (text.length > MAX_URL_LENGTH) throw new Fault("invalid_input", "The URL is too long");
  const url = tryUrl(text, base);
  if (url === undefined) {
    throw new Fault("invalid_input", `${toVisibleLine(text.slice(0, 200))} is not a URL`, { hint: WHOLE });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Fault("invalid_input", `Only http and https URLs can be fetched, not ${url.protocol}`, {
      hint: WHOLE,
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new Fault("invalid_input", "A URL with a user name or password in it is not fetched", {
      hint: "Leave them out. The operator can configure credentials for a host.",
    });
  }
  return url;
}

function tryUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Checks name, port and literal address against the rules. The addresses a name resolves to are checked on connecting. */
export function requireAllowed(url: URL, rules: HostRules): void {
  const { host } = url;
  if (matchesAny(url, rules.deny)) throw createRefusal(`${host} is on the list of denied hosts`);
  if (rules.allow.length > 0 && !matchesAny(url, rules.allow))
    throw createRefusal(`${host} is not on the list of allowed hosts`);
  if (matchesAny(url, rules.allowPrivate)) return;
  const name = toComparable(url.hostname);
  if (name === "localhost" || name.endsWith(".localhost")) throw createPrivateRefusal(host, "loopback");
  const literal = toLiteralAddress(url.hostname);
  const kind = literal === undefined ? "public" : classifyAddress(literal);
  if (kind !== "public") throw createPrivateRefusal(host, kind);
  const port = Number(portOf(url));
  if (port < 1024 && port !== 80 && port !== 443 && !rules.allow.some((pattern) => isFor(pattern, url))) {
    throw createRefusal(`Port ${port} of ${url.hostname} is reserved for protocols other than HTTP`);
  }
}

const isFor = (pattern: HostPattern, url: URL): boolean =>
  pattern.port !== undefined && matchesAny(url, [pattern]);

/**
 * Throws if this URL may not connect to this address. A host name that may be private still may not resolve to a cloud's
 * metadata service, which hands out credentials: for that, the operator must allow the address itself.
 */
export function requireAllowedAddress(address: string, url: URL, rules: HostRules): void {
  const kind = classifyAddress(address);
  if (kind === "public") return;
  const isLiteral = toLiteralAddress(url.hostname) !== undefined;
  if (matchesAny(url, rules.allowPrivate) && (isLiteral || kind !== "metadata")) return;
  throw createPrivateRefusal(url.host, kind);
}

const createPrivateRefusal = (host: string, kind: string): Fault =>
  new Fault("permission_denied", `${host} is not on the public internet (its address is ${kind})`, {
    hint: "Private addresses are refused unless the operator allows the host with --allow-private-hosts.",
    details: { host, addressClass: kind },
  });

const createRefusal = (message: string): Fault =>
  new Fault("permission_denied", message, { hint: "Only the server's operator can change this." });
