import { calc } from "@csstools/css-calc";
import { color as readColor, serializeRGB } from "@csstools/css-color-parser";
import { parseComponentValue } from "@csstools/css-parser-algorithms";
import { tokenize } from "@csstools/css-tokenizer";

/** Red, green and blue to 255, and alpha to 1. */
export type Color = readonly [number, number, number, number];

/** Splits at spaces, and at the given signs, outside of brackets and strings. The signs are parts of their own. */
export function split(text: string, signs = ""): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  const end = (): void => {
    if (part !== "") parts.push(part);
    part = "";
  };
  for (const [piece] of text.matchAll(
    /"(?:[^"\\]|\\[^])*"?|'(?:[^'\\]|\\[^])*'?|\s+|[()[\]]|[^\s()[\]"',/]+|[^]/g,
  )) {
    if (piece === "(" || piece === "[") depth += 1;
    if (piece === ")" || piece === "]") depth -= 1;
    const isSign = depth === 0 && signs.includes(piece);
    if (depth === 0 && (isSign || /^\s/.test(piece))) end();
    if (isSign) parts.push(piece);
    else if (depth > 0 || !/^\s/.test(piece)) part += piece;
    if (depth === 0 && piece === ")") end();
  }
  end();
  return parts;
}

/** The name and the arguments of `name(a, b c)`. */
export function toCall(text: string): readonly [string, readonly string[]] | undefined {
  const [, name, inner = ""] = /^([\w-]+)\(([^]*)\)$/.exec(text) ?? [];
  return name === undefined
    ? undefined
    : [name.toLowerCase(), split(inner, ",").filter((part) => part !== ",")];
}

const NUMBER = String.raw`[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?`;
const UNIT = "%|px|pt|pc|cm|mm|q|in|r?(?:em|ex|ch|cap|ic|lh)|(?:[sld]?v|cq)(?:[hwib]|min|max)";
/** Functions, without their arguments. */
const MATH =
  "(?:(?:-webkit-|-moz-)?calc|min|max|clamp|round|mod|rem|abs|sign|a?(?:sin|cos|tan)|atan2|pow|sqrt|hypot|log|exp|calc-size)[(][)]";
const IMAGES =
  "(?:url|src|image|paint|(?:-\\w+-)?(?:image-set|cross-fade|element|gradient|(?:repeating-)?(?:linear|radial|conic)-gradient))[(][)]";
/** The unit may be missing in pages without a doctype. */
const LENGTH = `${NUMBER}(?:${UNIT})?|${MATH}`;
const FONT_SIZE = `(?!-[\\d.]*[1-9])(?:${LENGTH})|(?:xx?-)?(?:small|large)|xxx-large|medium|smaller|larger|math`;
const INNER = "flow|flow-root|table|flex|grid|ruby|math";
const DISPLAY = `none|contents|block|inline|run-in|list-item|ruby-(?:base|text)(?:-container)?|table-(?:row|cell|caption|column|(?:row|column|header|footer)-group)|${INNER}|inline-(?:block|table|flex|grid)|(?:block|inline) (?:${INNER})|-webkit-(?:inline-)?(?:box|flex)`;
const SIZE = `${LENGTH}|auto|none|(?:-webkit-|-moz-)?(?:min-content|max-content|fit-content|fill-available|available)|stretch|(?:fit-content|anchor(?:-size)?)[(][)]`;
const BOX = "(?:border|padding|content|fill|stroke|view|margin)-box";
const BACKGROUND = `none|left|right|top|bottom|center|cover|contain|auto|scroll|fixed|local|text|${BOX}|(?:no-)?repeat(?:-[xy])?|space|round|add|subtract|intersect|exclude|alpha|luminance|match-source|no-clip|,|/|${IMAGES}|${LENGTH}`;
const SHAPES = "(?:inset|circle|ellipse|polygon|path|shape|rect|xywh|url)[(][)]";
const FILTERS =
  "(?:blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia|url)[(][)]";
const TRANSFORMS = "(?:matrix(?:3d)?|perspective|(?:translate|scale|rotate|skew)(?:3d|[xyz])?)[(][)]";
const COLOR = "COLOR";
const ANY = "[^]+";

interface Form {
  readonly part: RegExp;
  readonly most: number;
  readonly isColored: boolean;
}

/** The parts that the values of the properties that matter here may consist of, and how many. */
const FORMS: ReadonlyMap<string, Form> = new Map(
  (
    [
      ["display", DISPLAY, 1],
      ["visibility", "visible|hidden|collapse", 1],
      ["content-visibility", "visible|auto|hidden", 1],
      ["backface-visibility", "visible|hidden", 1],
      ["position", "static|relative|absolute|fixed|(?:-webkit-)?sticky", 1],
      ["overflow-x overflow-y", "visible|hidden|clip|scroll|auto|overlay", 1],
      ["opacity zoom", `normal|${NUMBER}%?|${MATH}`, 1],
      ["z-index flex-grow", `auto|${NUMBER}|${MATH}`, 1],
      ["font-size", FONT_SIZE, 1],
      ["line-height letter-spacing", `normal|${LENGTH}`, 1],
      ["white-space", "normal|nowrap|pre|pre-wrap|pre-line|break-spaces|collapse|preserve|wrap", 3],
      ["color background-color -webkit-text-fill-color", COLOR, 1],
      ["-webkit-text-stroke", `${COLOR}|${LENGTH}|thin|medium|thick`, 2],
      ["background-image mask-image", `none|,|${IMAGES}`, Infinity],
      ["background", `${COLOR}|${BACKGROUND}`, Infinity],
      ["mask mask-size mask-position", BACKGROUND, Infinity],
      ["background-clip", `,|${BOX}|text|border-area`, Infinity],
      ["text-shadow", `none|,|${COLOR}|${LENGTH}`, Infinity],
      ["top right bottom left margin-top margin-right margin-bottom margin-left", SIZE, 1],
      ["padding-top padding-right padding-bottom padding-left", LENGTH, 1],
      ["width height min-width min-height max-width max-height", SIZE, 1],
      ["text-indent", `${LENGTH}|each-line|hanging`, 3],
      ["clip", "auto|rect[(][)]", 1],
      ["clip-path", `none|${BOX}|${SHAPES}`, 2],
      ["filter", `none|${FILTERS}`, Infinity],
      ["transform", `none|${TRANSFORMS}`, Infinity],
      ["scale translate", `none|${LENGTH}`, 3],
      ["rotate", `none|[xyz]|${NUMBER}(?:deg|rad|grad|turn)?|${MATH}`, 4],
      ["mix-blend-mode color-scheme offset-path animation animation-name animation-fill-mode", ANY, Infinity],
      ["grid-template-rows -webkit-text-security contain animation-iteration-count", ANY, Infinity],
    ] as const
  ).flatMap(([names, part, most]) => {
    const form = { part: new RegExp(`^(?:${part})$`, "i"), most, isColored: part.includes(COLOR) };
    return names.split(" ").map((name) => [name, form] as const);
  }),
);

/** The names of logical and prefixed properties, in a page that is written from left to right and from top to bottom. */
const PHYSICAL: readonly (readonly [RegExp, string])[] = [
  [/^-webkit-(?=animation|backface|background|clip|filter|mask|opacity|transform)/, ""],
  [/^-webkit-(?=(?:margin|padding)-(?:start|end|before|after)$)/, ""],
  [/(?<=^(?:margin|padding|inset)-)(?:block-start|before)$/, "top"],
  [/(?<=^(?:margin|padding|inset)-)(?:block-end|after)$/, "bottom"],
  [/(?<=^(?:margin|padding|inset)-)(?:inline-)?start$/, "left"],
  [/(?<=^(?:margin|padding|inset)-)(?:inline-)?end$/, "right"],
  [/^inset-(?=top|right|bottom|left)/, ""],
  [/(?<=^(?:min-|max-|))inline-size$/, "width"],
  [/(?<=^(?:min-|max-|))block-size$/, "height"],
  [/^overflow-inline$/, "overflow-x"],
  [/^overflow-block$/, "overflow-y"],
];
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...["margin-", "padding-", ""].flatMap((name): [string, readonly string[]][] => {
    const group = name === "" ? "inset" : name.slice(0, -1);
    return [
      [group, [`${name}top`, `${name}right`, `${name}bottom`, `${name}left`]],
      [`${group}-block`, [`${name}top`, `${name}bottom`]],
      [`${group}-inline`, [`${name}left`, `${name}right`]],
    ];
  }),
  ["overflow", ["overflow-x", "overflow-y"]],
  ["font", ["font-size", "line-height"]],
  ["background", ["background-color", "background-image", "background-clip"]],
  ["mask", ["mask-image"]],
  ["flex", ["flex-grow"]],
  ["animation", ["animation", "animation-name"]],
]);
const GLOBAL = /^(?:inherit|initial|unset|revert(?:-layer)?)$/i;
/** Only the page as it is shown knows what these stand for. */
export const SUBSTITUTED = /(?:^|[^\w-])(?:var|env|attr|if)\(/i;

export type Longhands = readonly (readonly [string, string])[];

const MOST_KEPT = 20_000;
const expanded = new Map<string, Longhands | undefined>();

/** A declaration as those of single physical properties; none for properties that do not matter, undefined if browsers skip it. */
export function expand(name: string, value: string): Longhands | undefined {
  const key = `${name}:${value}`;
  if (expanded.has(key)) return expanded.get(key);
  const physical = PHYSICAL.reduce((given, [pattern, other]) => given.replace(pattern, other), name);
  const longhands = toLonghands(physical, value);
  if (expanded.size > MOST_KEPT) expanded.clear();
  if (key.length < 500) expanded.set(key, longhands);
  return longhands;
}

function toLonghands(name: string, value: string): Longhands | undefined {
  const group = GROUPS.get(name);
  if (name === "all") return GLOBAL.test(value) ? [[name, value.toLowerCase()]] : undefined;
  if (GLOBAL.test(value)) return (group ?? [name]).map((each) => [each, value.toLowerCase()]);
  if (value === "") return undefined;
  if (name === "font") return toFont(value);
  if (name === "background") return toBackground(value);
  if (name === "flex") return [["flex-grow", /^(?:auto|[1-9.])/.test(value) ? "1" : "0"]];
  if (name === "mask" || name === "animation")
    return isValid(name, value) ? group?.map((each) => [each, value]) : undefined;
  if (group === undefined) {
    if (!FORMS.has(name)) return [];
    return isValid(name, value) ? [[name, value]] : undefined;
  }
  const parts = split(value);
  if (parts.length > group.length || !parts.every((part) => isValid(group[0] ?? "", part))) return undefined;
  const [first = "", second = first, third = first, fourth = second] = parts;
  const all = [first, second, third, fourth];
  return group.map((each, index) => [each, all[index] ?? ""]);
}

function isValid(name: string, value: string): boolean {
  const form = FORMS.get(name);
  if (form === undefined) return true;
  const parts = form.most === 1 ? [value] : split(value, ",/");
  return (
    parts.length <= form.most &&
    parts.every((part) => form.part.test(withoutArguments(part)) || (form.isColored && isColor(part)))
  );
}

const withoutArguments = (part: string): string =>
  part.endsWith(")") ? `${part.slice(0, part.indexOf("(") + 1)})` : part;

const SYSTEM_FONT = /^(?:caption|icon|menu|message-box|small-caption|status-bar)$/i;

function toFont(value: string): Longhands | undefined {
  if (SYSTEM_FONT.test(value)) return [["font-size", "13px"]];
  const parts = split(value, "/,");
  const at = parts.findIndex(
    (part, index) => index < parts.length - 1 && isValid("font-size", part) && !/^[1-9]00$/.test(part),
  );
  if (at < 0) return undefined;
  const hasLine = parts[at + 1] === "/";
  if (parts.length <= at + (hasLine ? 3 : 1)) return undefined;
  return [
    ["font-size", parts[at] ?? ""],
    ["line-height", hasLine ? (parts[at + 2] ?? "") : "normal"],
  ];
}

function toBackground(value: string): Longhands | undefined {
  if (!isValid("background", value)) return undefined;
  const parts = split(value, ",/");
  const images = parts.filter((part) => /^[\w-]+\(/.test(part) && !isColor(part));
  return [
    ["background-color", parts.findLast((part) => isColor(part)) ?? "transparent"],
    ["background-image", images.join(", ") || "none"],
    ["background-clip", parts.some((part) => /^text$/i.test(part)) ? "text" : "border-box"],
  ];
}

const SYSTEM_COLORS: Readonly<Record<string, string>> = {
  canvas: "#fff",
  canvastext: "#000",
  linktext: "#00e",
  visitedtext: "#551a8b",
  activetext: "#f00",
  buttonface: "#efefef",
  buttontext: "#000",
  buttonborder: "#000",
  field: "#fff",
  fieldtext: "#000",
  graytext: "#808080",
  highlight: "#1967d2",
  highlighttext: "#fff",
  mark: "#ff0",
  marktext: "#000",
  window: "#fff",
  windowtext: "#000",
};
const colors = new Map<string, Color | undefined>();

/** Only for its form; `currentcolor` counts. */
const isColor = (value: string): boolean =>
  /^(?:#|[a-z]+$|[a-z-]+\()/i.test(value) && toColor(value, [0, 0, 0, 1]) !== undefined;

/** Undefined if it is none, or cannot be told. */
export function toColor(value: string, current: Color | undefined, isDark = false): Color | undefined {
  const text = value.trim().toLowerCase();
  if (text === "currentcolor") return current;
  if (text.startsWith("light-dark("))
    return toColor(toCall(text)?.[1][isDark ? 1 : 0] ?? "", current, isDark);
  if (text.includes("currentcolor") && current === undefined) return undefined;
  const key = text.includes("currentcolor")
    ? text.replaceAll("currentcolor", `rgb(${current?.slice(0, 3).join()},${current?.[3]})`)
    : (SYSTEM_COLORS[text] ?? text);
  if (!colors.has(key)) {
    if (colors.size > MOST_KEPT) colors.clear();
    colors.set(key, readRgb(key));
  }
  return colors.get(key);
}

function readRgb(text: string): Color | undefined {
  const component = text.length > 500 ? undefined : parseComponentValue(tokenize({ css: text }));
  const data = component && readColor(component);
  if (!data || typeof data.alpha !== "number") return undefined;
  const [red = 0, green = 0, blue = 0] = (
    serializeRGB(data)
      .toString()
      .match(/[\d.]+/g) ?? []
  ).map(Number);
  return [red, green, blue, Number.isNaN(data.alpha) ? 0 : data.alpha];
}

const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
  q: 2.4 / 2.54,
};
const FONT_UNITS: Readonly<Record<string, number>> = { em: 1, ex: 0.5, ch: 0.5, cap: 0.7, ic: 1, lh: 1.2 };
/** The screen on which pages are taken to be read. */
export const SCREEN = { width: 1280, height: 800 };

function toPixels(amount: number, unit: string, em: number, basis: number): number | undefined {
  if (unit === "%") return Number.isNaN(basis) ? undefined : (amount * basis) / 100;
  const [, side] = /^(?:[sld]?v|cq)([hwib]|min|max)$/.exec(unit) ?? [];
  if (side !== undefined) return (amount * (/[hb]|min/.test(side) ? SCREEN.height : SCREEN.width)) / 100;
  const factor = UNITS[unit];
  if (factor !== undefined) return amount * factor;
  const isRoot = unit.startsWith("r") && unit !== "r";
  const own = FONT_UNITS[isRoot ? unit.slice(1) : unit];
  return own === undefined ? undefined : amount * own * (isRoot ? 16 : em);
}

const DIMENSION = new RegExp(`(?<![\\w.#-])(${NUMBER})(${UNIT})(?![\\w-])`, "gi");

/** A length in pixels, or a number; NaN if it cannot be told. */
export function measure(value: string | undefined, em = 16, basis = Number.NaN): number {
  if (value === undefined) return Number.NaN;
  // As most are.
  if (/^-?\d+(?:px)?$/.test(value)) return Number.parseInt(value, 10);
  const inPixels = value.replaceAll(DIMENSION, (all, amount: string, unit: string) => {
    const pixels = toPixels(Number(amount), unit.toLowerCase(), em, basis);
    return pixels === undefined ? all : `${pixels.toFixed(6)}px`;
  });
  const result = inPixels.includes("(") ? solve(inPixels) : inPixels;
  const [, amount] = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)(?:px)?\s*$/i.exec(result) ?? [];
  return amount === undefined ? Number.NaN : Number(amount);
}

function solve(text: string): string {
  // Nested too deeply, it would take long.
  if (text.length > 500) return "";
  const solved = calc(text.replaceAll(/-(?:webkit|moz)-calc/gi, "calc"), { toCanonicalUnits: true });
  if (/infinity/i.test(solved)) return /-\s*infinity/i.test(solved) ? "-33554400" : "33554400";
  return solved;
}

/** An angle in degrees. */
export function toDegrees(value = "0"): number {
  const solved = value.includes("(") ? solve(value) : value;
  const [, amount = "0", unit = "deg"] = /^([-+\d.e]+?)(deg|rad|grad|turn)?$/i.exec(solved.trim()) ?? [];
  const factors: Readonly<Record<string, number>> = { deg: 1, rad: 180 / Math.PI, grad: 0.9, turn: 360 };
  return Number(amount) * (factors[unit.toLowerCase()] ?? 1);
}

/** A number or a percentage, from 0 to 1. */
export function toShare(value: string | undefined): number {
  if (value === undefined) return Number.NaN;
  return value.endsWith("%") ? Number.parseFloat(value) / 100 : measure(value, 16, 1);
}

const MOST_COLORS = 16;

/** The colors of gradients; undefined for other images. */
export function toStops(
  image: string,
  color: Color | undefined,
  isDark = false,
): readonly Color[] | undefined {
  const stops: Color[] = [];
  for (const layer of split(image, ",").filter((part) => part !== ",")) {
    const call = toCall(layer);
    if (!call || !call[0].endsWith("gradient")) return undefined;
    for (const part of call[1].flatMap((each) => split(each))) {
      const stop = /^[a-z#]/i.test(part) ? toColor(part, color, isDark) : undefined;
      if (stop && stops.length < MOST_COLORS) stops.push(stop);
    }
  }
  return stops.length > 0 ? stops : undefined;
}
