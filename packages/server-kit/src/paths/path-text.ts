import { defuse } from "../text/defuse.ts";
import { reveal, toEscape } from "../text/reveal.ts";
import { toGlimpse } from "../text/glimpse.ts";

const ESCAPE = /\\u\{([0-9A-Fa-f]{1,6})\}/g;
const LAST_CODE_POINT = 0x10ffff;
/** A backslash that would be taken for the start of an escape, and what would break a line. */
const AMBIGUOUS = /\\(?=u\{)|[\t\n\r]/g;
/** Most paths have nothing of what is looked for below. */
const PLAIN = /^[\x20-;=-[\]-~]*$/;
const ANGLES = /[<\u2039\u2329\u27E8\u3008\uFE64\uFF1C]/g;

/**
 * How results write a path or a name: on one line, nothing in it that a reader cannot see or takes for a fence. Given back,
 * it means the same path: `fromPathText` undoes it, and what is a file's own `\u{…}` is told apart.
 */
export function toPathText(path: string): string {
  if (PLAIN.test(path)) return path;
  const shown = reveal(path.replaceAll(AMBIGUOUS, toEscape));
  return defuse(shown) === shown ? shown : shown.replaceAll(ANGLES, toEscape);
}

/** The path that a text from a result stands for. Every other text stands for itself. */
export function fromPathText(text: string): string {
  if (!text.includes("\\u{")) return text;
  return text.replaceAll(ESCAPE, (escape, digits: string) => {
    const codePoint = Number.parseInt(digits, 16);
    return codePoint > LAST_CODE_POINT ? escape : String.fromCodePoint(codePoint);
  });
}

/** A path for a sentence, in quotes that it cannot end. */
export const quotePath = (path: string): string => quoteShown(toPathText(path));

/** The same for what `toPathText` made already, such as a path in a result. */
export const quoteShown = (text: string): string => `"${text.replaceAll('"', toEscape)}"`;

const LONGEST = 200;

/** The same for an error about a path that nobody has checked yet: no longer than it must be. */
export const quoteGiven = (path: string): string => quotePath(toGlimpse(path, LONGEST));
