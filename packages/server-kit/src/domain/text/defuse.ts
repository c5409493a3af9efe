const ANGLE = /[<\u2039\u2329\u27E8\u3008\uFE64\uFF1C]/;
/** May stand between the letters of a forged fence: spaces, slashes, and escapes of hidden characters. */
const GAP = String.raw`(?:[\s/\u2044\u2215\u29F8\uFF0F]|\\u\{[0-9A-F]+\}){0,32}`;
const FULL_WIDTH = 0xfee0;
const toLetter = (letter: string): string =>
  `${GAP}[${letter}${String.fromCodePoint(letter.charCodeAt(0) + FULL_WIDTH)}]`;

let forged: RegExp | undefined;
const forgedPattern = (): RegExp =>
  (forged ??= new RegExp(`(${ANGLE.source})(?=${Array.from("untrusted", toLetter).join("")})`, "giu"));

/** Breaks text that looks like a fence: its tag cannot be guessed, but a model might be fooled by a similar one. */
export function defuse(text: string): string {
  return ANGLE.test(text) ? text.replace(forgedPattern(), "$1\\") : text;
}
