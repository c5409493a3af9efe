import { toBase64 } from "../../values/base64.ts";

const SENTINEL = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Visible ASCII, space and tab: all that a header may carry (RFC 9110). */
const ALLOWED = /^[\t\x20-\x7e]*$/;
/** Sent unencoded. A tab would be allowed, but some proxies turn it into a space. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Which member of the parameters `Mcp-Name` repeats (streamable-http#standard-request-headers). */
export const NAMED_BY: { readonly [method: string]: "name" | "uri" | "taskId" } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

const isMarked = (value: string): boolean => value.startsWith("=?base64?") && value.endsWith("?=");

/** The value a header stands for, or undefined when it is malformed (streamable-http#value-encoding). */
export function decodeHeaderValue(value: string): string | undefined {
  if (!ALLOWED.test(value)) return undefined;
  if (!isMarked(value)) return value;
  const encoded = SENTINEL.exec(value)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The reverse, for clients. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && value.trim() === value && !isMarked(value)) return value;
  return `=?base64?${toBase64(new TextEncoder().encode(value))}?=`;
}
