import { defuse } from "./defuse.ts";

/**
 * What nobody sees but a model reads: what Unicode lets a renderer ignore, controls, interlinear marks, half characters.
 * Tab and line ends are text.
 */
const INVISIBLE = String.raw`[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}\p{Surrogate}]`;

/** Letters of scripts that are written without joiners: one there only hides something, or splits a word in secret. */
const UNJOINED = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}`;
const VIRAMA = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`;
const JOINED = String.raw`(?![\p{Default_Ignorable_Code_Point}${UNJOINED}])[\p{L}\p{M}]`;

/** Where writing needs them. Each follows something visible, so that what is kept never depends on what is shown. */
const NEEDED = [
  String.raw`${JOINED}[\u034F\u200C\u200D](?=${JOINED})`,
  String.raw`${VIRAMA}[\u200C\u200D]`,
  String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?\u200D(?=\p{Extended_Pictographic})`,
  String.raw`\p{Emoji}[\uFE0E\uFE0F]`,
  String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{Lo}\p{Sm}\p{So}][\uFE00-\uFE02]`,
  String.raw`(?!\p{Default_Ignorable_Code_Point})\p{Script=Mongolian}[\u180B-\u180D\u180F]`,
].join("|");

/**
 * Finds at least all of the above. Several small classes: the engine looks characters up in a table where a class has
 * many ranges, which is far slower, and most texts are only ever tested.
 */
const SUSPECTS: readonly RegExp[] = [
  String.raw`[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F]`,
  String.raw`[\u3164\uD82F\uD834\uDB40-\uDB43\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB]`,
  String.raw`[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]`,
].map((source) => new RegExp(source));
/** Most texts have nothing else, and one class is the fastest to look for. */
const BEYOND_ASCII = /[^\t\n\r\x20-\x7E]/;
/** Cheap, and wrong only in one direction: a text that it clears hides nothing. */
export function isSuspect(text: string): boolean {
  if (text === lastCleared) return false;
  const isFound = BEYOND_ASCII.test(text) && SUSPECTS.some((suspect) => suspect.test(text));
  if (!isFound && text.length > SHORT) lastCleared = text;
  return isFound;
}

/** Looked at again in no time, and between two looks at a long text there are always some. */
const SHORT = 100;
/** A result is looked at several times on its way: as text, in its fence, in the structured form. */
let lastCleared = "";

/** Made on first use: properties of characters cost a start more than all else here. */
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
 * Takes back what `reveal` did, for text that a model copied. Source code may spell such an escape out itself: where
 * both can be, look for the text as it was given first.
 */
export function conceal(text: string): string {
  return text.replace(ESCAPE, (escape, digits: string) => {
    const codePoint = Number.parseInt(digits, 16);
    if (codePoint > LAST_CODE_POINT) return escape;
    const character = String.fromCodePoint(codePoint);
    return invisiblePattern().test(character) ? character : escape;
  });
}

/** In lists and objects too, names included. */
export function revealAll(data: unknown): unknown {
  if (typeof data === "string") return reveal(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(revealAll);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [reveal(key), revealAll(value)]));
}

/** Nothing that is escaped, in JSON or to be seen, and nothing that may be defused. */
const PLAIN = /^[ !#-;=-[\]-~]*$/;
/** What JSON writes of a control character, which it hides from other looks. */
const ESCAPED_CONTROL = /\\[bfu]/;

/** How many characters a value has as JSON once what hides in it is shown and defused: what it takes of a result's budget. */
export function shownSize(value: unknown): number {
  // Lists are measured name by name, and writing each would cost far more than a look at it.
  if (typeof value === "string" && PLAIN.test(value)) return value.length + '""'.length;
  const json = JSON.stringify(value);
  const shown = ESCAPED_CONTROL.test(json) || isSuspect(json) ? JSON.stringify(revealAll(value)) : json;
  return defuse(shown).length;
}

export function countHidden(text: string): number {
  return isSuspect(text) ? (text.match(hiddenPattern())?.length ?? 0) : 0;
}

const LINE_ENDS: { readonly [character: string]: string } = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** For names in a sentence: one line, nothing hidden. */
export function toVisibleLine(text: string): string {
  return reveal(text).replace(/[\t\n\r]/g, (character) => LINE_ENDS[character] ?? character);
}

/** Such as `\u{202E}`. */
export const toEscape = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
