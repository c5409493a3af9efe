import { defuse } from "./defuse.ts";

/**
 * Characters that a person does not see but a model reads: default-ignorable ones, controls, interlinear annotation marks,
 * lone surrogates. Not tabs and line ends.
 */
const INVISIBLE = String.raw`[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}\p{Surrogate}]`;

/** Scripts that do not use joiners: there, a joiner only hides something or splits a word. */
const UNJOINED = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}`;
const VIRAMA = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`;
const JOINED = String.raw`(?![\p{Default_Ignorable_Code_Point}${UNJOINED}])[\p{L}\p{M}]`;

/** Legitimate uses. Each follows a visible character, so whether one is kept does not depend on escaped ones before it. */
const NEEDED = [
  String.raw`${JOINED}[\u034F\u200C\u200D](?=${JOINED})`,
  String.raw`${VIRAMA}[\u200C\u200D]`,
  String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?\u200D(?=\p{Extended_Pictographic})`,
  String.raw`\p{Emoji}[\uFE0E\uFE0F]`,
  String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{Lo}\p{Sm}\p{So}][\uFE00-\uFE02]`,
  String.raw`(?!\p{Default_Ignorable_Code_Point})\p{Script=Mongolian}[\u180B-\u180D\u180F]`,
].join("|");

/**
 * Matches at least all of the above. Several small classes, because the engine is far slower for a class with many ranges, and
 * most texts only need this test.
 */
const SUSPECTS: readonly RegExp[] = [
  String.raw`[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F]`,
  String.raw`[\u3164\uD82F\uD834\uDB40-\uDB43\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB]`,
  String.raw`[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]`,
].map((source) => new RegExp(source));
/** A fast first test: most texts are plain ASCII. */
const BEYOND_ASCII = /[^\t\n\r\x20-\x7E]/;
/** A cheap test with false positives only: if false, the text has no hidden characters. */
function isSuspect(text: string): boolean {
  if (text === lastCleared) return false;
  const isFound = BEYOND_ASCII.test(text) && SUSPECTS.some((suspect) => suspect.test(text));
  if (!isFound && text.length > SHORT) lastCleared = text;
  return isFound;
}

/** Shorter texts are not remembered: testing them is cheap, and they would displace the long text. */
const SHORT = 100;
/** A cache of one: each result is tested several times, as text, in its fence, and in structured form. */
let lastCleared = "";

/** Created on first use: compiling Unicode properties would slow down the start. */
let hidden: RegExp | undefined;
const hiddenPattern = (): RegExp => (hidden ??= new RegExp(`${INVISIBLE}(?<!${NEEDED})`, "gu"));
let invisible: RegExp | undefined;
const invisiblePattern = (): RegExp => (invisible ??= new RegExp(INVISIBLE, "u"));

const ESCAPE = /\\u\{(0|[1-9A-F][0-9A-F]{0,5})\}/g;
const LAST_CODE_POINT = 0x10ffff;

/** Makes hidden characters visible: \u{202E}. Text without any is returned as it is. */
export function reveal(text: string): string {
  return isSuspect(text) ? text.replace(hiddenPattern(), toEscape) : text;
}

/**
 * Reverses `reveal`, for text that a model copied. Source code may contain such escapes literally: if both are possible, look
 * for the text as given first.
 */
export function conceal(text: string): string {
  return text.replace(ESCAPE, (escape, digits: string) => {
    const codePoint = Number.parseInt(digits, 16);
    if (codePoint > LAST_CODE_POINT) return escape;
    const character = String.fromCodePoint(codePoint);
    return invisiblePattern().test(character) ? character : escape;
  });
}

/** `reveal` for all strings in arrays and objects, including keys. */
export function revealAll(data: unknown): unknown {
  if (typeof data === "string") return reveal(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(revealAll);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [reveal(key), revealAll(value)]));
}

/** Characters that neither JSON, `reveal` nor `defuse` would escape. */
const PLAIN = /^[ !#-;=-[\]-~]*$/;
/** A control character as JSON escapes it, which `isSuspect` would not find. */
const ESCAPED_CONTROL = /\\[bfu]/;

/** `isSuspect` for JSON: one test for all strings of a value. */
export const isJsonSuspect = (json: string): boolean => ESCAPED_CONTROL.test(json) || isSuspect(json);

/** The length of a value as JSON after `reveal` and `defuse`: its share of a result's budget. */
export function shownSize(value: unknown): number {
  // Lists are measured name by name, and serializing each name would cost far more than this test.
  if (typeof value === "string" && PLAIN.test(value)) return value.length + '""'.length;
  const json = JSON.stringify(value);
  const shown = isJsonSuspect(json) ? JSON.stringify(revealAll(value)) : json;
  return defuse(shown).length;
}

/** How many invisible or deceptive characters a text has. */
export function countHidden(text: string): number {
  return isSuspect(text) ? (text.match(hiddenPattern())?.length ?? 0) : 0;
}

const LINE_ENDS: { readonly [character: string]: string } = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** For names in a message: on one line, without hidden characters. */
export function toVisibleLine(text: string): string {
  return reveal(text).replace(/[\t\n\r]/g, (character) => LINE_ENDS[character] ?? character);
}

/** Such as `\u{202E}`. */
export const toEscape = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
