import { defuse } from "../text/defuse.ts";
import { reveal, toEscape } from "../text/reveal.ts";
import { truncate } from "../text/glimpse.ts";

const ESCAPE = /\\u\{([0-9A-Fa-f]{1,6})\}/g;
const LAST_CODE_POINT = 0x10ffff;
/** A backslash that would look like the start of an escape, and tabs and line breaks. */
const AMBIGUOUS = /\\(?=u\{)|[\t\n\r]/g;
/** Fast path: most paths have nothing to escape. */
const PLAIN = /^[\x20-;=-[\]-~]*$/;
const ANGLES = /[<\u2039\u2329\u27E8\u3008\uFE64\uFF1C]/g;

/**
 * The form of a path or name in results: on one line, without invisible characters or anything that looks like a fence.
 * `fromPathText` reverses it; a literal `\u{…}` in a file's name is escaped too.
 */
export function toPathText(path: string): string {
  if (PLAIN.test(path)) return path;
  const shown = reveal(path.replaceAll(AMBIGUOUS, toEscape));
  return defuse(shown) === shown ? shown : shown.replaceAll(ANGLES, toEscape);
}

/** Decodes a path from a result. Other paths are returned unchanged. */
export function fromPathText(text: string): string {
  if (!text.includes("\\u{")) return text;
  return text.replaceAll(ESCAPE, (escape, digits: string) => {
    const codePoint = Number.parseInt(digits, 16);
    return codePoint > LAST_CODE_POINT ? escape : String.fromCodePoint(codePoint);
  });
}

/** A path for a message, in quotes; quotes inside it are escaped. */
export const quotePath = (path: string): string => quoteShown(toPathText(path));

/** The same for output of `toPathText`, such as a path in a result. */
export const quoteShown = (text: string): string => `"${text.replaceAll('"', toEscape)}"`;

const LONGEST = 200;

/** The same for an unchecked path, cut to a limited length. */
export const quoteGiven = (path: string): string => quotePath(truncate(path, LONGEST));
