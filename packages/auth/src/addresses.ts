import { isLoopback } from "@suite/core/http";

/** Everything goes over TLS, except what never leaves the machine (security-considerations#communication-security). */
export function isSecure(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/**
 * The form in which resource URIs are compared: scheme and host in lower case, a bare origin without its slash. The rest
 * is compared as it stands (authorization#canonical-server-uri).
 */
export function toCanonicalUri(uri: string): string {
  const match = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/is.exec(uri);
  if (!match) return uri;
  const [, origin = "", rest = ""] = match;
  return origin.toLowerCase() + (rest === "/" ? "" : rest);
}
