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
  readonly inherited: Inherited;
  readonly opacity: number;
  readonly fontSize: number;
  readonly color: Color;
  /** Whether `color` cannot be another. */
  readonly isColorCertain: boolean;
  /** The colors behind it, and whether nothing else can be there. */
  readonly backgrounds: readonly Color[];
  readonly isBackgroundCertain: boolean;
  /** Whether an element with a background is between it and the next stacking context. */
  readonly isOnBackground: boolean;
  /** Where it begins, compared with where it would begin without any styles. */
  readonly x: number;
  readonly y: number;
  readonly indent: number;
  readonly scale: number;
  readonly clips: readonly Clip[];
  /** The content box around it; NaN if that cannot be told. */
  readonly width: number;
  readonly height: number;
  readonly isFixed: boolean;
  /** Whether what is fixed in it moves with it, and not with the screen. */
  readonly isMoved: boolean;
  readonly hasEmptyRows: boolean;
  /** Whether something was found that may hide it. */
  readonly isUndecided: boolean;
}

/** The inherited properties whose values are looked at as they are written, with their initial values. */
const INITIAL = {
  visibility: "visible",
  "-webkit-text-fill-color": "currentcolor",
  "-webkit-text-stroke": "0",
  "-webkit-text-security": "none",
  "text-shadow": "none",
  "white-space": "normal",
  "color-scheme": "normal",
};
type Inherited = Readonly<typeof INITIAL>;
const INHERITED = Object.entries(INITIAL);

const WHITE: Color = [255, 255, 255, 1];
const BLACK: Color = [0, 0, 0, 1];

/** `isStyledElsewhere` if external style sheets may set any color. */
export const toPageStyle = (isStyledElsewhere: boolean): Style => ({
  custom: new Map(),
  inherited: INITIAL,
  opacity: 1,
  fontSize: 16,
  color: BLACK,
  isColorCertain: !isStyledElsewhere,
  backgrounds: [WHITE],
  isBackgroundCertain: !isStyledElsewhere,
  isOnBackground: false,
  x: 0,
  y: 0,
  indent: 0,
  scale: 1,
  clips: [],
  width: SCREEN.width,
  height: Number.NaN,
  isFixed: false,
  isMoved: false,
  hasEmptyRows: false,
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
  const { inherited, opacity, fontSize, scale, x, y, indent, isFixed } = style;
  if (!/^visible$/i.test(inherited.visibility) || inherited["-webkit-text-security"] !== "none") return false;
  if (opacity < FAINT || fontSize * scale <= TINY) return false;
  if (x + indent <= FAR_X || y <= FAR_Y) return false;
  if (isFixed && (x >= SCREEN.width || y >= SCREEN.height || y + 3 * fontSize <= 0)) return false;
  if (style.clips.some((clip) => isCutOff(style, clip))) return false;
  const isUndecided = style.isUndecided || style.clips.some((clip) => y + 3 * fontSize <= clip.y);
  if (areColorsLegible(style)) return isUndecided ? undefined : true;
  return style.isColorCertain && style.isBackgroundCertain ? false : undefined;
}

function isCutOff({ x, y, width, height, fontSize, indent, inherited }: Style, clip: Clip): boolean {
  const isOnOneLine = /\b(?:nowrap|pre)\b/i.test(inherited["white-space"]);
  if (clip.width <= TINY || clip.height <= TINY) return true;
  if (isOnOneLine && indent > 0 && indent >= clip.width) return true;
  if (y + Math.max(height, 3 * fontSize) <= clip.y) return true;
  if (!isOnOneLine && x + Math.max(width, 10 * fontSize) <= clip.x) return true;
  return x - clip.x >= clip.width || y - clip.y >= clip.height || indent >= 2 * SCREEN.width;
}

function areColorsLegible({ color, inherited, backgrounds }: Style): boolean {
  const { "-webkit-text-fill-color": fill, "-webkit-text-stroke": stroke, "text-shadow": shadow } = inherited;
  const isDark = isSchemeDark(inherited);
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

/** Chromium shows text in at least this size if its own, in units like these, depends on one that does. Other browsers do not. */
const LEAST_RELATIVE = 6;
const RELATIVE = /^[\d.]+(?:%|em|ex|ch|cap|ic|r?lh)$/i;

function toFontSize(value: string, around: number): number {
  if (value === "inherit") return around;
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
  /** Whether only some browsers show text of that size. */
  readonly isSizeUnsure: boolean;
  readonly position: string;
  readonly display: string;
  readonly isDetached: boolean;
  readonly isInline: boolean;
  readonly isPage: boolean;
  /** Whether it is as wide as what is around it. */
  readonly isWide: boolean;
}

function toGiven(declared: Declared, around: Style, box: Box): Given {
  const get: Get = (name) => (declared.get(name) === "initial" ? undefined : declared.get(name));
  const place = get("position")?.toLowerCase() ?? "static";
  const position = place === "fixed" && around.isMoved ? "absolute" : place;
  const display = get("display")?.toLowerCase() ?? "";
  const isDetached = position === "absolute" || position === "fixed";
  const isInline =
    !isDetached && (display === "" ? box.isInline : /^(?:inline(?: flow)?|contents)$/.test(display));
  const asked = declared.get("font-size") ?? "inherit";
  const size = toFontSize(asked, around.fontSize);
  const isSizeUnsure = size > 0 && size <= TINY && around.fontSize > TINY && RELATIVE.test(asked);
  const fontSize = isSizeUnsure ? LEAST_RELATIVE : size;
  const isWide = !isInline && !isDetached && !display.startsWith("inline");
  const isPage = box.name === "html" || box.name === "body";
  const sizes = { fontSize, isSizeUnsure, isWide };
  return { declared, get, around, box, position, display, isDetached, isInline, isPage, ...sizes };
}

/** The style of an element in another. */
export function toStyle(declared: Declared, custom: Custom, around: Style, box: Box): Style {
  const given = toGiven(declared, around, box);
  const { get, position, fontSize, isSizeUnsure, isPage } = given;
  const { transform, isOutside, ...place } = toPlace(given);
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
  return {
    custom,
    fontSize,
    ...place,
    ...colors,
    opacity: isHiding ? 0 : around.opacity * opacity,
    isMoved: around.isMoved || isTransformed(get, transform.isUsed),
    isOnBackground: !isStacking && !isPage && (around.isOnBackground || isOpaque),
    isUndecided:
      around.isUndecided ||
      isOutside ||
      isSizeUnsure ||
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
  "x" | "y" | "indent" | "scale" | "clips" | "width" | "height" | "isFixed" | "hasEmptyRows"
>;

/** Where an element is, and what cuts it off. */
function toPlace(given: Given): Place & Pick<Offset, "isOutside"> & { readonly transform: Transform } {
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
  return {
    transform,
    isOutside: offset.isOutside,
    x: x + orZero(left),
    y: y + orZero(top),
    indent:
      declared.has("text-indent") && indent !== "inherit"
        ? orZero(measure(split(indent ?? "0")[0], fontSize, inner))
        : around.indent,
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

interface Offset {
  readonly x: number;
  readonly y: number;
  /** Whether it ends before what is around it, wherever that is. */
  readonly isOutside: boolean;
}

function toOffset({ get, around, fontSize, position, isDetached }: Given): Offset {
  const isFixed = position === "fixed";
  let [x, y] = isFixed ? [0, 0] : [around.x, around.y];
  if (position === "static" || position === "sticky") return { x, y, isOutside: false };
  const wide = orZero(around.width);
  const tall = isFixed || (isDetached && Number.isNaN(around.height)) ? SCREEN.height : around.height;
  const toSize = (side: string, basis: number): number => measure(get(side), fontSize, basis);
  const [left, top] = [toSize("left", around.width), toSize("top", tall)];
  // Where only the other side is given.
  const right = Number.isNaN(left) ? toSize("right", around.width) : Number.NaN;
  const bottom = Number.isNaN(top) ? toSize("bottom", tall) : Number.NaN;
  x += orZero(left) - orZero(isDetached ? Math.max(0, right - wide) : right);
  y += orZero(top) - orZero(isDetached ? Math.max(0, bottom - tall) : bottom);
  // This is where it ends.
  if (isDetached && right > wide && x <= FAR_END) x = FAR_X;
  // Beyond the right and the lower edge of a page there is room to scroll, but not of the screen.
  if (isFixed && right <= -SCREEN.width) x = SCREEN.width;
  if (isFixed && bottom <= -100) y = SCREEN.height;
  const isOutside = isDetached && (right >= around.width || bottom >= tall || (isFixed && right <= -100));
  return { x, y, isOutside };
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

type Colors = Pick<Style, "color" | "isColorCertain" | "inherited" | "backgrounds" | "isBackgroundCertain">;

function toColors({ declared, get, around, box, isPage }: Given): Colors & Pick<Backgrounds, "isOpaque"> {
  const color = toOwnColor(declared.get("color") ?? box.color, around);
  const own = toBackgrounds(get, color, around, box);
  const inherited = inherit(declared, around.inherited, isPage);
  const isOwn = declared.has("color") || box.color === "#000";
  return {
    color: own.text ?? color,
    isColorCertain: own.isText ? own.text !== undefined : isOwn || around.isColorCertain,
    inherited: own.text ? { ...inherited, "-webkit-text-fill-color": "currentcolor" } : inherited,
    backgrounds: own.backgrounds,
    isBackgroundCertain: own.isCertain,
    isOpaque: own.isOpaque,
  };
}

/** A page that is hidden as a whole waits for its scripts. */
function inherit(declared: Declared, around: Inherited, isPage: boolean): Inherited {
  const own: Record<string, string> = {};
  for (const [name, initial] of INHERITED) {
    const value = declared.get(name) ?? "inherit";
    if (value !== "inherit" && !(isPage && name === "visibility"))
      own[name] = value === "initial" ? initial : value;
  }
  return { ...around, ...own };
}

const isSchemeDark = ({ "color-scheme": scheme }: Pick<Inherited, "color-scheme">): boolean =>
  /\bdark\b/.test(scheme) && !/\blight\b/.test(scheme);

function limit(value = Number.NaN, least = Number.NaN, most = Number.NaN): number {
  const capped = most <= (Number.isNaN(value) ? Infinity : value) ? most : value;
  if (Number.isNaN(capped)) return capped;
  return least > capped ? least : capped;
}

function toOwnColor(value: string | undefined, around: Style): Color {
  const isDark = isSchemeDark(around.inherited);
  if (value === undefined || value === "inherit") return around.color;
  if (value === "initial") return isDark ? WHITE : BLACK;
  return toColor(toHash(value), around.color, isDark) ?? around.color;
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
    isUnknown: calls.some((call) => /^(?:brightness|invert|url)$/.test(call?.[0] ?? "")),
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
  const isDark = isSchemeDark(around.inherited);
  const given = get("background-color") ?? box.background ?? "transparent";
  const isInherited = given === "inherit";
  const plain = (isInherited ? around.backgrounds[0] : toColor(toHash(given), color, isDark)) ?? [0, 0, 0, 0];
  const image = isInherited ? "none" : (get("background-image") ?? "none");
  const stops = image === "none" ? [] : toStops(image, color, isDark);
  if (/^text$/i.test(get("background-clip") ?? ""))
    return {
      ...around,
      isCertain: around.isBackgroundCertain,
      isOpaque: false,
      isText: true,
      text: stops?.at(-1) ?? (stops ? plain : undefined),
    };
  const isDarkPage = box.name === "html" && isSchemeDark({ "color-scheme": get("color-scheme") ?? "" });
  const behind = (isDarkPage ? [DARK] : around.backgrounds).map((each) => over(plain, each));
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
