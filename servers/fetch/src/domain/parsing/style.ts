import type { Custom, Declared } from "./cascade.ts";
import { findMask, findShape } from "./shapes.ts";
import { toTransform, type Transform } from "./transforms.ts";
import { type Color, measure, SCREEN, split, toCall, toColor, toShare, toStops } from "./values.ts";

/** A box that cuts off what is outside of it, with the place where its content begins. */
interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Whether it also holds elements with an absolute position. */
  readonly isPositioned: boolean;
}

/** How the text directly in an element is shown, as far as its own styles and those around it tell. */
export interface Style {
  readonly custom: Custom;
  readonly isVisible: boolean;
  readonly opacity: number;
  readonly fontSize: number;
  readonly color: Color;
  readonly fill: string;
  readonly stroke: string;
  readonly shadow: string;
  /** Whether `color` cannot be another. */
  readonly isColorCertain: boolean;
  /** The colors behind it, and whether nothing else can be there. */
  readonly backgrounds: readonly Color[];
  readonly isBackgroundCertain: boolean;
  /** Whether an element with a background is between it and the next stacking context. */
  readonly isOnBackground: boolean;
  readonly isDark: boolean;
  /** Where it begins, compared with where it would begin without any styles. */
  readonly x: number;
  readonly y: number;
  readonly indent: number;
  readonly isOnOneLine: boolean;
  readonly scale: number;
  readonly clips: readonly Clip[];
  /** The content box around it; NaN if that cannot be told. */
  readonly width: number;
  readonly height: number;
  readonly isFixed: boolean;
  readonly hasEmptyRows: boolean;
  readonly isSecret: boolean;
  /** Whether something was found that may hide it. */
  readonly isUndecided: boolean;
}

const WHITE: Color = [255, 255, 255, 1];
const BLACK: Color = [0, 0, 0, 1];

/** `isStyledElsewhere` if external style sheets may set any color. */
export const toPageStyle = (isStyledElsewhere: boolean): Style => ({
  custom: new Map(),
  isVisible: true,
  opacity: 1,
  fontSize: 16,
  color: BLACK,
  isColorCertain: !isStyledElsewhere,
  fill: "currentcolor",
  stroke: "0",
  shadow: "none",
  backgrounds: [WHITE],
  isBackgroundCertain: !isStyledElsewhere,
  isOnBackground: false,
  isDark: false,
  x: 0,
  y: 0,
  indent: 0,
  isOnOneLine: false,
  scale: 1,
  clips: [],
  width: SCREEN.width,
  height: Number.NaN,
  isFixed: false,
  hasEmptyRows: false,
  isSecret: false,
  isUndecided: false,
});

/** Less opaque than this, nobody sees it. */
const FAINT = 0.05;
/** Colors are told apart if a channel differs by more. */
const NEAR = 12;
const FAR_X = -990;
const FAR_Y = -790;
const FAR_END = -200;
const TINY = 1;

/** Whether text directly in an element with this style can be read; undefined if that cannot be told. */
export function isLegible(style: Style): boolean | undefined {
  const { isVisible, opacity, fontSize, scale, x, y, indent, isFixed, isSecret } = style;
  if (!isVisible || isSecret || opacity < FAINT || fontSize * scale <= TINY) return false;
  if (x + indent <= FAR_X || y <= FAR_Y) return false;
  if (isFixed && (x >= SCREEN.width || y >= SCREEN.height || y + 3 * fontSize <= 0)) return false;
  if (style.clips.some((clip) => isCutOff(style, clip))) return false;
  if (areColorsLegible(style)) return style.isUndecided ? undefined : true;
  return style.isColorCertain && style.isBackgroundCertain ? false : undefined;
}

function isCutOff({ x, y, indent, isOnOneLine }: Style, clip: Clip): boolean {
  if (clip.width <= TINY || clip.height <= TINY) return true;
  if (isOnOneLine && indent > 0 && indent >= clip.width) return true;
  return x - clip.x >= clip.width || y - clip.y >= clip.height || indent >= 2 * SCREEN.width;
}

function areColorsLegible({ color, fill, stroke, shadow, backgrounds, isDark }: Style): boolean {
  const isSeen = (given: string): boolean => {
    const seen = toColor(given, color, isDark);
    if (seen === undefined) return true;
    return seen[3] >= FAINT && backgrounds.some((background) => differ(over(seen, background), background));
  };
  if (isSeen(fill)) return true;
  const strokeColor = split(stroke).find(
    (part) => Number.isNaN(measure(part)) && !/^(?:thin|medium|thick)$/.test(part),
  );
  if (
    !/^0?(?:px)?$/.test(split(stroke).find((part) => !Number.isNaN(measure(part))) ?? "0") &&
    isSeen(strokeColor ?? fill)
  )
    return true;
  if (/^none$/i.test(shadow)) return false;
  return split(shadow, ",").some((part) => /^[a-z#]/i.test(part) && isSeen(part));
}

/** A color as it is seen on another. */
const over = ([red, green, blue, alpha]: Color, [r, g, b, a]: Color): Color => [
  red * alpha + r * (1 - alpha),
  green * alpha + g * (1 - alpha),
  blue * alpha + b * (1 - alpha),
  alpha + a * (1 - alpha),
];

const differ = (one: Color, other: Color): boolean =>
  one.slice(0, 3).some((channel, index) => Math.abs(channel - (other[index] ?? 0)) > NEAR);

const KEYWORD_SIZES: Readonly<Record<string, number>> = {
  "xx-small": 9,
  "x-small": 10,
  small: 13,
  medium: 16,
  large: 18,
  "x-large": 24,
  "xx-large": 32,
  "xxx-large": 48,
  initial: 16,
};

function toFontSize(value: string | undefined, around: number): number {
  if (value === undefined || value === "inherit") return around;
  const size = KEYWORD_SIZES[value.toLowerCase()] ?? measure(value, around, around);
  if (!Number.isNaN(size)) return size;
  return value === "smaller" ? around / 1.2 : value === "larger" ? around * 1.2 : around;
}

/** What is known of an element beside its style. */
export interface Box {
  readonly name: string;
  /** By default, from the name. */
  readonly isInline: boolean;
  /** The color that it has without a style. */
  readonly color?: string | undefined;
  readonly background?: string | undefined;
}

/** Whether the element is not shown at all, with everything in it. */
export function isGone(declared: Declared, { name, isInline }: Box): boolean {
  const display = declared.get("display")?.toLowerCase() ?? "";
  if (display === "none" || display.startsWith("table-column")) return true;
  if (/^hidden$/i.test(declared.get("content-visibility") ?? "") && !(isInline && display === ""))
    return true;
  const isDetached = /^(?:absolute|fixed)$/i.test(declared.get("position") ?? "");
  const [, edges] = (isDetached && toCall(declared.get("clip") ?? "")) || [];
  if (edges) {
    const [top = 0, right = Infinity, bottom = Infinity, left = 0] = edges
      .flatMap((edge) => split(edge))
      .map((edge) => (edge === "auto" ? undefined : measure(edge)));
    if (right - left <= TINY || bottom - top <= TINY) return true;
  }
  if (name !== "img" && name !== "iframe") return false;
  return ["width", "height", "max-width", "max-height"].some((size) => measure(declared.get(size)) <= TINY);
}

type Get = (name: string) => string | undefined;

/** An element, with what most of its style depends on. */
interface Given {
  readonly declared: Declared;
  readonly get: Get;
  readonly around: Style;
  readonly box: Box;
  readonly fontSize: number;
  readonly position: string;
  readonly display: string;
  readonly isDetached: boolean;
  readonly isInline: boolean;
  /** Whether it is as wide as what is around it. */
  readonly isWide: boolean;
}

function toGiven(declared: Declared, around: Style, box: Box): Given {
  const get: Get = (name) => (declared.get(name) === "initial" ? undefined : declared.get(name));
  const position = get("position")?.toLowerCase() ?? "static";
  const display = get("display")?.toLowerCase() ?? "";
  const isDetached = position === "absolute" || position === "fixed";
  const isInline =
    !isDetached && (display === "" ? box.isInline : /^(?:inline(?: flow)?|contents)$/.test(display));
  const fontSize = toFontSize(declared.get("font-size"), around.fontSize);
  const isWide = !isInline && !isDetached && !display.startsWith("inline");
  return { declared, get, around, box, fontSize, position, display, isDetached, isInline, isWide };
}

/** The style of an element in another. */
export function toStyle(declared: Declared, custom: Custom, around: Style, box: Box): Style {
  const given = toGiven(declared, around, box);
  const { get, position, fontSize } = given;
  const isPage = box.name === "html" || box.name === "body";
  const { transform, ...place } = toPlace(given);
  const shape = findShape(get("clip-path"), fontSize, measure(get("width")), place.height);
  const mask = findMask(get, around.color);
  const filter = toFilter(get("filter"), fontSize);
  const share = toShare(get("opacity"));
  const opacity = isPage || Number.isNaN(share) ? filter.opacity : share * filter.opacity;
  const isSunk = measure(get("z-index")) < 0 && position !== "static" && around.isOnBackground;
  const isHiding =
    shape === "nothing" || mask === "nothing" || filter.isBlurred || transform.isFlat || isSunk;
  const isRaised = position !== "static" && (get("z-index") ?? "auto") !== "auto";
  const isStacking = isRaised || position === "fixed" || isTransformed(get, transform.isUsed) || opacity < 1;
  const { isOpaque, ...colors } = toColors(given);
  const visibility = declared.get("visibility")?.toLowerCase() ?? "inherit";
  const secret = get("-webkit-text-security");
  return {
    custom,
    fontSize,
    ...place,
    ...colors,
    isVisible:
      isPage || (visibility === "inherit" ? around.isVisible : /^(?:initial|visible)$/.test(visibility)),
    opacity: isHiding ? 0 : around.opacity * opacity,
    isOnBackground: !isStacking && !isPage && (around.isOnBackground || isOpaque),
    isSecret: secret === undefined ? around.isSecret : secret !== "none",
    isUndecided:
      around.isUndecided ||
      shape === "unknown" ||
      mask === "unknown" ||
      filter.isUnknown ||
      transform.isUnknown ||
      (get("offset-path") ?? "none") !== "none" ||
      // Only the first letter may be seen.
      measure(get("letter-spacing"), fontSize) <= -fontSize,
  };
}

const isTransformed = (get: Get, isMoved: boolean): boolean =>
  isMoved || (get("filter") ?? "none") !== "none";

type Place = Pick<
  Style,
  "x" | "y" | "indent" | "isOnOneLine" | "scale" | "clips" | "width" | "height" | "isFixed" | "hasEmptyRows"
>;

/** Where an element is, and what cuts it off. */
function toPlace(given: Given): Place & { readonly transform: Transform } {
  const { declared, get, around, fontSize, position, display, isInline, isWide } = given;
  const size = (name: string): number => orZero(measure(get(name), fontSize, around.width));
  const limited = (name: string, basis: number): number => {
    const [own, least, most] = ["", "min-", "max-"].map((kind) => measure(get(kind + name), fontSize, basis));
    return limit(own, least, most);
  };
  const [width, height] = [limited("width", around.width), limited("height", around.height)];
  const [left, right, top, bottom] = ["left", "right", "top", "bottom"].map((side) =>
    size(`padding-${side}`),
  );
  const known = Number.isNaN(width) && isWide ? around.width : width;
  const inner = isInline
    ? around.width
    : Number.isNaN(width) && isWide
      ? known - orZero(left) - orZero(right)
      : width;
  const transform = toTransform(get, fontSize, known, height);
  const offset = toOffset(given);
  const x = offset.x + size("margin-left") + transform.x;
  const y = offset.y + (isInline ? 0 : size("margin-top")) + transform.y;
  const clip = toClip(given, inner, height);
  const isPositioned = position !== "static" || isTransformed(get, transform.isUsed);
  const outer = {
    x,
    y,
    isPositioned,
    width: orZero(left) + orZero(right),
    height: orZero(top) + orZero(bottom),
  };
  const clips = around.clips.filter(
    (each) => position !== "fixed" && (position !== "absolute" || each.isPositioned),
  );
  if (clip) clips.push({ ...outer, width: clip.width + outer.width, height: clip.height + outer.height });
  const indent = get("text-indent");
  const space = get("white-space");
  return {
    transform,
    x: x + orZero(left),
    y: y + orZero(top),
    indent:
      declared.has("text-indent") && indent !== "inherit"
        ? orZero(measure(split(indent ?? "0")[0], fontSize, inner))
        : around.indent,
    isOnOneLine: space === undefined ? around.isOnOneLine : /\b(?:nowrap|pre)\b/i.test(space),
    scale: around.scale * transform.scale,
    clips: clips.slice(-8),
    width: inner,
    height: isInline ? around.height : height,
    isFixed: position === "fixed" || (around.isFixed && position !== "absolute"),
    hasEmptyRows: /^0(?:fr|px|%)?$/.test(get("grid-template-rows") ?? "") && display.includes("grid"),
  };
}

const orZero = (value: number | undefined): number =>
  value === undefined || Number.isNaN(value) ? 0 : value;

function toOffset({ get, around, fontSize, position, isDetached }: Given): {
  readonly x: number;
  readonly y: number;
} {
  const isFixed = position === "fixed";
  let [x, y] = isFixed ? [0, 0] : [around.x, around.y];
  if (position === "static") return { x, y };
  const tall = isFixed || (isDetached && Number.isNaN(around.height)) ? SCREEN.height : around.height;
  const [left, right] = ["left", "right"].map((side) => measure(get(side), fontSize, around.width));
  const [top, bottom] = ["top", "bottom"].map((side) => measure(get(side), fontSize, tall));
  const isOpenX = Number.isNaN(left);
  const isOpenY = Number.isNaN(top);
  if (!isOpenX) x += orZero(left);
  else if (!Number.isNaN(right)) {
    x += isDetached ? Math.min(0, orZero(around.width) - orZero(right)) : -orZero(right);
    // This is where it ends.
    if (isDetached && x <= FAR_END) x = FAR_X;
  }
  if (!isOpenY) y += orZero(top);
  else if (!Number.isNaN(bottom)) y += isDetached ? Math.min(0, tall - orZero(bottom)) : -orZero(bottom);
  // Beyond the right and the lower edge of a page there is room to scroll, but not of the screen.
  if (isFixed && isOpenX && orZero(right) <= -SCREEN.width) x = SCREEN.width;
  if (isFixed && isOpenY && orZero(bottom) <= -100) y = SCREEN.height;
  return { x, y };
}

/** The size of what cuts off the content of an element, if it does; NaN if that cannot be told. */
function toClip(
  { get, around, box, display, isInline, fontSize }: Given,
  width: number,
  height: number,
): Pick<Clip, "width" | "height"> | undefined {
  const contain = get("contain") ?? "";
  const isCut = (side: string): boolean =>
    /^(?:hidden|clip|auto|scroll|overlay)$/i.test(get(`overflow-${side}`) ?? "") ||
    /\b(?:content|paint|strict)\b/.test(contain);
  const isCell = /^t[dh]$/.test(box.name) || display.startsWith("table");
  if (isInline || isCell || toShare(get("flex-grow")) > 0 || !(isCut("x") || isCut("y"))) return undefined;
  const isFlat =
    around.hasEmptyRows ||
    /^0(?:px|em|%)?$/.test(get("line-height") ?? "") ||
    /\b(?:strict|size)\b/.test(contain);
  const isEmpty = Number.isNaN(height) && isFlat && !(measure(get("min-height"), fontSize) > 0);
  return {
    width: isCut("x") ? width : Number.NaN,
    height: !isCut("y") ? Number.NaN : isEmpty ? 0 : height,
  };
}

type Colors = Pick<
  Style,
  "color" | "isColorCertain" | "fill" | "stroke" | "shadow" | "backgrounds" | "isBackgroundCertain" | "isDark"
>;

function toColors({ declared, get, around, box }: Given): Colors & Pick<Backgrounds, "isOpaque"> {
  const color = toOwnColor(declared.get("color") ?? box.color, around);
  const own = toBackgrounds(get, color, around, box);
  const isOwn = declared.has("color") || box.color === "#000";
  return {
    color: own.text ?? color,
    isColorCertain: own.isText ? own.text !== undefined : isOwn || around.isColorCertain,
    fill: own.text ? "currentcolor" : (inherit(declared, "-webkit-text-fill-color") ?? around.fill),
    stroke: inherit(declared, "-webkit-text-stroke") ?? around.stroke,
    shadow: inherit(declared, "text-shadow") ?? around.shadow,
    backgrounds: own.backgrounds,
    isBackgroundCertain: own.isCertain,
    isOpaque: own.isOpaque,
    isDark: toDark(get("color-scheme"), around.isDark),
  };
}

/** The value of an inherited property, if it is not the one around. */
function inherit(declared: Declared, name: string): string | undefined {
  const value = declared.get(name);
  if (value === "initial")
    return name === "text-shadow" ? "none" : name === "-webkit-text-stroke" ? "0" : "currentcolor";
  return value === "inherit" ? undefined : value;
}

const toDark = (scheme: string | undefined, isAround: boolean): boolean =>
  scheme === undefined ? isAround : /\bdark\b/.test(scheme) && !/\blight\b/.test(scheme);

function limit(value = Number.NaN, least = Number.NaN, most = Number.NaN): number {
  const capped = most <= (Number.isNaN(value) ? Infinity : value) ? most : value;
  if (Number.isNaN(capped)) return capped;
  return least > capped ? least : capped;
}

function toOwnColor(value: string | undefined, around: Style): Color {
  if (value === undefined || value === "inherit") return around.color;
  if (value === "initial") return around.isDark ? WHITE : BLACK;
  return toColor(toHash(value), around.color, around.isDark) ?? around.color;
}

/** In old pages, the # may be missing. */
const toHash = (value: string): string => (/^[\da-f]{3}(?:[\da-f]{3})?$/i.test(value) ? `#${value}` : value);

function toFilter(
  value: string | undefined,
  em: number,
): { readonly opacity: number; readonly isBlurred: boolean; readonly isUnknown: boolean } {
  const calls = split(value ?? "").map(toCall);
  const opacity = calls.reduce((product, call) => {
    const share = call?.[0] === "opacity" ? toShare(call[1][0]) : 1;
    return Number.isNaN(share) ? product : product * share;
  }, 1);
  return {
    opacity,
    isBlurred: calls.some((call) => call?.[0] === "blur" && measure(call[1][0], em) >= em),
    isUnknown: calls.some((call) => call?.[0] === "url"),
  };
}

interface Backgrounds {
  readonly backgrounds: readonly Color[];
  readonly isCertain: boolean;
  readonly isOpaque: boolean;
  /** Whether the background is seen only where there is text, and its color. */
  readonly isText: boolean;
  readonly text?: Color | undefined;
}

const DARK: Color = [18, 18, 18, 1];
const isFull = (color: Color): boolean => color[3] > 0.95;

function toBackgrounds(
  get: (name: string) => string | undefined,
  color: Color,
  around: Style,
  box: Box,
): Backgrounds {
  const given = get("background-color") ?? box.background ?? "transparent";
  const isInherited = given === "inherit";
  const plain = (isInherited ? around.backgrounds[0] : toColor(toHash(given), color, around.isDark)) ?? [
    0, 0, 0, 0,
  ];
  const image = isInherited ? "none" : (get("background-image") ?? "none");
  const stops = image === "none" ? [] : toStops(image, color, around.isDark);
  if (/^text$/i.test(get("background-clip") ?? ""))
    return {
      ...around,
      isCertain: around.isBackgroundCertain,
      isOpaque: false,
      isText: true,
      text: stops?.at(-1) ?? (stops ? plain : undefined),
    };
  const isDark = box.name === "html" && toDark(get("color-scheme"), false);
  const behind = (isDark ? [DARK] : around.backgrounds).map((each) => over(plain, each));
  const backgrounds = stops?.length
    ? stops.flatMap((stop) => behind.map((each) => over(stop, each))).slice(0, 16)
    : behind;
  const isOpaque = isFull(plain) || (stops ?? []).some(isFull);
  // What is not in its place may lie on anything.
  const isMoved =
    /^(?:absolute|fixed|sticky)$/i.test(get("position") ?? "") ||
    !/^normal$/i.test(get("mix-blend-mode") ?? "normal");
  return {
    backgrounds,
    isOpaque,
    isText: false,
    isCertain:
      stops !== undefined && given !== "unknown" && (isOpaque || (around.isBackgroundCertain && !isMoved)),
  };
}
