import { isValidValue } from "./values.ts";

/** Properties and their values, in lower case and without needless spaces. */
export type Declarations = ReadonlyMap<string, string>;

const toLetter = (code: string): string =>
  String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff));
const toEscape = (letter: string): string => `\\${letter.charCodeAt(0).toString(16)} `;
const FONT_SIZE = /(?<=^|\s)(?:0|[\d.]+(?:[a-z]+|%))(?=[\s/])/;
const IMPORTANT = /!\s*important\s*$/;
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|[^])/gi;

/**
 * Escapes, comments, strings, URLs without quotes, and the marks of old pages. The end of its line closes a string: to look for a
 * quote in vain again and again would take for ever.
 */
const WHOLE =
  /\\[^]|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|(?<![\w\u0080-\uffff-])url\((?!\s*["'])(?:[^)\\]|\\[^])*\)?|<!--|-->/gi;

/**
 * CSS that simple patterns can read: with escapes of letters decoded, without comments, with braces and semicolons in strings and
 * URLs escaped, and single spaces.
 */
export const toBareCss = (css: string): string =>
  css
    .replaceAll(/\r\n?|\f/g, "\n")
    .replaceAll(ESCAPE, (all, code: string | undefined) => {
      const letter = code === undefined ? all.slice(1) : toLetter(code);
      // The line end after a code belongs to it, and closes no string.
      return /[\w-]/.test(letter) ? letter : code === undefined ? all : all.replace("\n", " ");
    })
    .replaceAll(WHOLE, (part) => {
      if (part.startsWith("\\")) return part.replace(/\\(?=[{};"'])./, (escape) => toEscape(escape.slice(1)));
      return /^["'u]/i.test(part) ? part.replaceAll(/[{};]/g, toEscape) : " ";
    })
    .replaceAll(/\s+/g, " ");

/** What hides is at the start; a picture may follow. */
const MOST_OF_VALUE = 500;

/** The normal and the important declarations, with shorthands expanded. */
export function parseStyle(bareCss: string): readonly [Declarations, Declarations] {
  const usual = new Map<string, string>();
  const important = new Map<string, string>();
  for (const declaration of bareCss.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, Math.max(0, colon)).trim();
    if (!PROPERTIES.has(name)) continue;
    const value = declaration
      .slice(colon + 1)
      .replace(IMPORTANT, "")
      .replaceAll(/\s*([(),/])\s*/g, "$1")
      .trim();
    if (!isValidValue(name, value)) continue;
    const start = value.slice(0, MOST_OF_VALUE);
    const style = IMPORTANT.test(declaration) ? important : usual;
    if (name === "background") style.set("background-color", start).set("background-image", "none");
    else if (name === "font") style.set("font-size", FONT_SIZE.exec(start)?.[0] ?? start);
    else style.set(name, start);
  }
  return [usual, important];
}

/** Values that hide an element with everything in it. */
const HIDING: Readonly<Record<string, RegExp>> = {
  display: /^none/,
  visibility: /^(?:hidden|collapse)/,
  "content-visibility": /^hidden/,
  filter: /opacity\((?:0*(?:\.0(?:[0-4]\d*)?)?|[0-4](?:\.\d+)?%)(?:\)|$)/,
  "text-indent": /^-\d{3,}/,
  clip: /^rect\((?:[01](?:px)?[\s,]*){4}(?:\)|$)/,
  "clip-path": /^(?:inset\((?:50|100)%|(?:circle|ellipse)\(0)/,
  transform:
    /scale(?:x|y|3d)?\(0*(?:\.0\d*)?(?:[,)]|$)|translate(?:x|y|3d)?\([^)]*-(?:\d{4,}|999|\d{3,}v[hw])/,
  scale: /^0*(?:\.0\d*)?(?:\s|$)/,
  translate: /(?:^|\s)-(?:\d{4,}|999|\d{3,}v[hw])/,
};
const FAR_OFF = /^-(?:\d{4,}|999|\d{3,}(?:v[hwbi]|vmin|vmax|r?em))/;
const OFFSETS = ["left", "top", "right", "bottom", "margin-left", "margin-top", "inset"];
const SIZES = ["height", "width", "max-height", "max-width"];
/** Properties that can make an element visible although its size is zero. */
const ROOM = ["padding", "padding-top", "padding-bottom", "min-height", "min-width", "flex", "flex-grow"];
const NO_ROOM = /^[01]?(?:\.\d+)?(?:px)?$|^0(?:[a-z%]|$)/;
const ANIMATION = ["animation", "animation-name"];
const DETACHED = /^(?:absolute|fixed)/;
const CUT = /^(?:hidden|clip)/;
const TEXT = ["color", "text-shadow", "background-clip", "-webkit-background-clip", "font-size", "font"];
const BACKGROUND = ["background", "background-color", "background-image"];
const PROPERTIES = new Set(
  [
    Object.keys(HIDING),
    ["opacity", "position", "overflow", "padding-left"],
    ANIMATION,
    OFFSETS,
    SIZES,
    ROOM,
    TEXT,
    BACKGROUND,
  ].flat(),
);

/** Animations that a page has, by name; undefined if it may have any. */
export type Animations = ReadonlySet<string> | undefined;

export function isHidingStyle(style: Declarations, name: string, animations: Animations): boolean {
  if (style.size === 0) return false;
  for (const [property, value] of style) if (HIDING[property]?.test(value)) return true;
  if (toShare(style.get("opacity") ?? "1", 1) < FAINT && !isAnimated(style, animations)) return true;
  if (OFFSETS.some((offset) => isFarOff(style, offset))) return true;
  const isDetached = DETACHED.test(style.get("position") ?? "");
  if (isDetached && OFFSETS.some((offset) => /^-\d{3,}%/.test(style.get(offset) ?? ""))) return true;
  if (!SIZES.some((size) => NO_ROOM.test(style.get(size) ?? "auto"))) return false;
  if (name === "img" || name === "iframe") return true;
  const hasRoom = name === "td" || name === "th" || ROOM.some((each) => /[1-9]/.test(style.get(each) ?? ""));
  return !hasRoom && CUT.test(style.get("overflow") ?? "");
}

/** An animation may show what the style itself hides. */
const isAnimated = (style: Declarations, animations: Animations): boolean =>
  ANIMATION.some((property) => {
    const value = style.get(property) ?? "none";
    if (animations === undefined || value.includes("var(")) return !NOTHING.test(value);
    return value.split(/[\s,]/).some((word) => animations.has(word));
  });

const SHOWING = /^(?:display|visibility|opacity)$/;

/** What a rule would show that may or may not apply. */
export const toShowing = (style: Declarations): Declarations =>
  new Map(
    [...style].filter((each) => SHOWING.test(each[0]) && !isHidingStyle(new Map([each]), "", undefined)),
  );

/** A padding as large as a negative margin leaves the text where it would be. */
function isFarOff(style: Declarations, offset: string): boolean {
  const value = style.get(offset) ?? "";
  return FAR_OFF.test(value) && style.get(offset.replace("margin", "padding")) !== value.slice(1);
}

const TINY =
  /^(?:(?:0+(?:\.0*)?|\.0+)(?:[a-z%]|$)|(?:0*\.\d+|0*1(?:\.0*)?)(?:px|pt)|0*\.0\d*r?em|[0-4](?:\.\d+)?%)/;
const INHERITED = /^(?:inherit|unset|currentcolor)$/;
const RELATIVE = /\d(?:em|%)$|^(?:inherit|unset|larger|smaller)$/;

/** Whether text is too small to see. `isAround` says so for the text of the parent. */
export function isTiny(style: Declarations, isAround: boolean): boolean {
  const size = style.get("font-size") ?? "inherit";
  return TINY.test(size) || (isAround && RELATIVE.test(size));
}

/** A colour that cannot be determined. */
export const UNKNOWN = "unknown";

/** The colour of text; unknown if something else makes the text visible. */
export function inkOf(style: Declarations, around: string, isOwn: boolean): string {
  const isClip = /\btext\b/.test(style.get("background-clip") ?? style.get("-webkit-background-clip") ?? "");
  if (isClip || !NOTHING.test(style.get("text-shadow") ?? "none")) return UNKNOWN;
  const ink = style.get("color") ?? (isOwn ? UNKNOWN : "inherit");
  return INHERITED.test(ink) ? around : ink;
}

/** Values that let the background of the parent show through. */
const NOTHING = /^(?:none|transparent|inherit|initial|unset|revert|0(?: 0)?)$/;

/** The background colour; unknown for an image. */
export function groundOf(style: Declarations, around: string): string {
  if (!NOTHING.test(style.get("background-image") ?? "none")) return UNKNOWN;
  const colour = style.get("background-color") ?? "none";
  return NOTHING.test(colour) ? around : colour;
}

const NEAR = 16;
const NAMED: Readonly<Record<string, string>> = {
  transparent: "#0000",
  white: "#fff",
  snow: "#fffafa",
  ivory: "#fffff0",
  ghostwhite: "#f8f8ff",
  floralwhite: "#fffaf0",
  whitesmoke: "#f5f5f5",
  black: "#000",
  gray: "#808080",
  grey: "#808080",
  silver: "#c0c0c0",
  red: "#f00",
  green: "#008000",
  blue: "#00f",
  navy: "#000080",
  maroon: "#800000",
  purple: "#800080",
  teal: "#008080",
  orange: "#ffa500",
  yellow: "#ff0",
};
const FAINT = 0.05;

/** Whether text can be told from its background. If either colour is unknown or partly transparent, the answer is yes. */
export function isLegible(ink: string, ground: string): boolean {
  const inked = parseColour(ink);
  if (inked === undefined) return true;
  const [inkAlpha, ...inkChannels] = inked;
  if (inkAlpha < FAINT) return false;
  const [groundAlpha, ...groundChannels] = parseColour(ground) ?? [0];
  if (inkAlpha !== 1 || groundAlpha !== 1) return true;
  return !inkChannels.every((channel, index) => Math.abs(channel - (groundChannels[index] ?? 0)) <= NEAR);
}

/** Alpha, red, green and blue; undefined for unsupported notations. */
function parseColour(given: string): readonly [number, ...number[]] | undefined {
  const colour = NAMED[given] ?? given;
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(colour)?.[1];
  if (hex !== undefined) {
    const digits = hex.length < 6 ? hex.replaceAll(/./g, "$&$&") : hex;
    const pairs = Array.from(digits.matchAll(/../g), ([pair]) => Number.parseInt(pair, 16));
    return [(pairs[3] ?? 255) / 255, ...pairs.slice(0, 3)];
  }
  const [, kind, list = ""] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(colour) ?? [];
  const parts = list.split(/[\s,/]+/);
  if (kind === undefined || parts.length > 4) return undefined;
  const [first = "", second = "", third = "", alpha = "1"] = parts;
  if (kind === "rgb") return [toShare(alpha, 1), ...[first, second, third].map((part) => toShare(part, 255))];
  // Any hue is nearly white when it is this light. Others are not computed.
  const channel = Number.parseFloat(third) >= 96 ? 255 : Number.NaN;
  return [toShare(alpha, 1), channel, channel, channel];
}

const toShare = (part: string, whole: number): number =>
  Number.parseFloat(part) * (part.endsWith("%") ? whole / 100 : 1);
