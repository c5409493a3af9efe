const TRIPLET = /%[0-9A-Fa-f]{2}/g;
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*$/;
const BROKEN_TRIPLET = /%(?![0-9A-Fa-f]{2})/;
const TRIPLET_OR_FORBIDDEN = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;
const SUBDELIMS_LEFT_BY_ENCODE = /[!'()*]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Everything but unreserved characters becomes percent-encoded UTF-8. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(toWellFormed(text)).replace(
    SUBDELIMS_LEFT_BY_ENCODE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Reserved characters and existing triplets stay as they are. */
export function encodeReserved(text: string): string {
  return toWellFormed(text).replace(TRIPLET_OR_FORBIDDEN, (found) =>
    found.length === 3 ? found : encodeURIComponent(found),
  );
}

/** One spelling per URI, so raw and encoded non-ASCII and both cases of hex compare equal. */
export function toComparable(uri: string): string | undefined {
  if (PLAIN.test(uri)) return uri;
  if (BROKEN_TRIPLET.test(uri)) return undefined;
  return encodeReserved(uri).replace(TRIPLET, (triplet) => triplet.toUpperCase());
}

/** Undefined when the triplets are not UTF-8. */
export function fromEncoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// encodeURIComponent throws on a lone surrogate.
function toWellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, "\uFFFD");
}

/** The first `length` characters, counted in code points (RFC 6570 section 2.4.1). */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join("");
}
