/** Means something else without Unicode semantics: `\p{L}` is the text "p{L}" there. */
const ONLY_UNICODE = /(?<!\\)(?:\\\\)*\\[pPu]\{/;

/** Undefined where the source is not a regular expression in either mode. */
export function toRegExp(source: string): RegExp | undefined {
  // JSON Schema asks for Unicode semantics; many published patterns (`\-`, `\_`) are only valid without them.
  for (const flags of ONLY_UNICODE.test(source) ? ["u"] : ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      continue;
    }
  }
  return undefined;
}
