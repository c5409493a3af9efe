import { Fault } from "../errors/fault.ts";

/** Keys are in lower case. Repeated headers are joined with a comma. */
export type OutboundHeaders = ReadonlyMap<string, string>;

export interface HeaderRecord {
  readonly [name: string]: string;
}

/** Headers that control framing or routing: only the client itself sets them. */
const OWN = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that a redirect to another origin may carry; any other header may hold a secret. */
const HARMLESS = new Set(["accept", "accept-language", "cache-control", "user-agent"]);

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Visible characters, spaces and tabs; no line ends. */
const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;
const MAX_HEADER_BYTES = 8192;

/** Validates a caller's headers. */
export function toRequestHeaders(given: HeaderRecord): Record<string, string> {
  const headers: Record<string, string> = {};
  let bytes = 0;
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase();
    bytes += name.length + value.length;
    if (!NAME.test(name) || !VALUE.test(value)) {
      throw new Fault(
        "invalid_input",
        `The header ${JSON.stringify(key.slice(0, 50))} has characters that are not allowed in a header`,
      );
    }
    if (OWN.has(name)) throw new Fault("invalid_input", `The header ${name} cannot be set`);
    headers[name] = value;
  }
  if (bytes > MAX_HEADER_BYTES) throw new Fault("too_large", "These headers are too long");
  return headers;
}

export const toHarmless = (headers: HeaderRecord): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name)));

export function withoutContent(headers: HeaderRecord): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("content-")));
}

export function toOutboundHeaders(
  raw: Readonly<Record<string, string | string[] | undefined>>,
): OutboundHeaders {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers.set(name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}

/** Converts Retry-After, a number of seconds or a date, to milliseconds from now. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
