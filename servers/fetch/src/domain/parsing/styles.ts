/** Properties and values, in lower case and without the spaces that mean nothing. */
export type Declarations = ReadonlyMap<string, string>;

const toEscape = (letter: string): string => `\\${letter.charCodeAt(0).toString(16)} `;
const IMPORTANT = /!\s*important\s*$/;
const ESCAPE = /\\([\da-f]{1,6})\s?/gi;

/**
 * Without comments, without braces and semicolons in strings and addresses, where they mean nothing, with letters instead of their codes and
 * single spaces: what is made of it is looked through again and again.
 */
export const toBareCss = (css: string): string =>
  css
    .replaceAll(
      /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|url\([^"'()\\]*\)|<!--|-->/gi,
      (part) => (/^["'u]/i.test(part) ? part.replaceAll(/[{};]/g, toEscape) : " "),
    )
    .replaceAll(ESCAPE, (all, code: string) => {
      const letter = String.fromCharCode(Number.parseInt(code, 16));
      return /[\w-]/.test(letter) ? letter : all;
    })
    .replaceAll(/\s+/g, " ");

/** Whether brackets are open at a semicolon or at the end: browsers read on until they are closed. */
export function hasOpenBrackets(bareCss: string): boolean {
  const open: string[] = [];
  for (const [sign] of bareCss.matchAll(/[;()[\]]/g)) {
    if (sign === "(") open.push(")");
    else if (sign === "[") open.push("]");
    else if (sign === open.at(-1)) open.pop();
    else if (sign === ";" && open.length > 0) return true;
  }
  return open.length > 0;
}

/** What is declared as usual, and what as important. */
export function parseStyle(bareCss: string): readonly [Declarations, Declarations] {
  const mayShow = !hasOpenBrackets(bareCss);
  const usual = new Map<string, string>();
  const important = new Map<string, string>();
  for (const declaration of bareCss.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, Math.max(0, colon)).trim();
    if (!PROPERTIES.has(name)) continue;
    const written = declaration
      .slice(colon + 1, colon + 500)
      .replace(IMPORTANT, "")
      .replaceAll(/\s*([(),/])\s*/g, "$1")
      // What it falls back to, since nothing here knows what the variable is.
      .replaceAll(/var\(--[^,()]*,([^()]*)\)/g, "$1");
    const value = calculateAll(written)
      .replaceAll(/\s*([(),/])\s*/g, "$1")
      .trim();
    declare(IMPORTANT.test(declaration) ? important : usual, name, value, mayShow);
  }
  return [usual, important];
}

/** Over what is weaker. A value that a browser may not know does not take the place of one that hides. */
export function declare(style: Map<string, string>, name: string, value: string, mayShow: boolean): void {
  const weaker = style.get(name) ?? "";
  if (!mayHide(name, weaker) || mayHide(name, value) || (mayShow && isShowing(name, value)))
    style.set(name, value);
}

/** By itself or with others. */
const mayHide = (name: string, value: string): boolean =>
  value !== "" && (HIDING[name] ?? HIDING_PARTS[name])?.test(value) === true;

const isShowing = (name: string, value: string): boolean =>
  name === "color"
    ? COLOUR.test(value) && toChannels(value) !== undefined
    : SHOWING[name]?.test(value) === true;

/** Whether it can have a part in hiding an element. */
export const isOfInterest = (style: Declarations): boolean =>
  isHidingStyle(style, "img") || inkOf(style) !== undefined || groundOf(style) !== undefined;

export const isShowingStyle = (style: Declarations): boolean =>
  [...style].some(([name, value]) => isShowing(name, value));

/** From the inside out, as deep as anybody nests them. */
function calculateAll(value: string): string {
  let calculated = value;
  for (let depth = 0; depth < 8 && calculated.includes("("); depth += 1)
    calculated = calculated.replaceAll(/(calc|min|(?<!\w))\(([^()]*)\)/g, calculate);
  return calculated;
}

function calculate(all: string, name: string, list: string): string {
  const sums = list.split(",").map(toSum);
  const numbers = sums.map((sum) => Number.parseFloat(sum ?? ""));
  const lowest = Math.min(...numbers);
  const isKnown = sums.length === 1 || (name === "min" && lowest === 0);
  // Spaces, since a sign has to stand apart from what it adds.
  return isKnown && !Number.isNaN(lowest) ? ` ${sums[numbers.indexOf(lowest)]} ` : all;
}

/** Of products in one unit; what mixes units depends on more than is known here, unless all of it is nothing. */
function toSum(expression: string): string | undefined {
  const [unit = "", ...others] = new Set(expression.match(/[a-z%]+/g));
  const terms = expression
    .replaceAll(/\s+/g, " ")
    .trim()
    .split(/ (?=[+-] )/)
    .map((term) => {
      const [, sign, factors = ""] = /^(?:([+-]) )?(.+)$/.exec(term) ?? [];
      const [first = "", ...rest] = factors.split(/ ?([*/]) ?/);
      let product = Number.parseFloat(first);
      for (let at = 0; at < rest.length; at += 2) {
        const factor = Number.parseFloat(rest[at + 1] ?? "");
        product = rest[at] === "*" ? product * factor : product / factor;
      }
      return sign === "-" ? -product : product;
    });
  const sum = terms.reduce((total, term) => total + term, 0);
  const isKnown = others.length === 0 || terms.every((term) => term === 0);
  return isKnown && Number.isFinite(sum) ? `${Number(sum.toFixed(4))}${unit}` : undefined;
}

/** By itself; with what is around it see `isLegible`. */
const HIDING: Readonly<Record<string, RegExp>> = {
  display: /^none/,
  visibility: /^(?:hidden|collapse)/,
  "content-visibility": /^hidden/,
  opacity: /^(?:-|\+?0*(?:\.(?:0(?:[0-4]\d*)?)?)?$|[0-4]?(?:\.\d+)?%|[\d.]+e-)/,
  filter: /opacity\((?:0*(?:\.0(?:[0-4]\d*)?)?|[0-4](?:\.\d+)?%)\)/,
  "font-size":
    /^(?:(?:0+(?:\.0*)?|\.0+)(?:[a-z%]|$)|(?:0*\.\d+|0*1(?:\.0*)?)(?:px|pt)|0*\.0\d*r?em|[0-4](?:\.\d+)?%)/,
  font: /(?:^|\s)(?:0|0?(?:\.\d+)?px|1px|0r?em)[\s/]/,
  "text-indent": /^-\d{3,}/,
  clip: /^rect\([01](?:px)?[\s,]/,
  "clip-path": /^(?:inset\((?:50|100)%|(?:circle|ellipse)\(0)/,
  color: /^(?:transparent|(?:rgb|hsl)a?\([^)]*[,/]0*(?:\.0*)?%?\)|#[\da-f]{3}0$|#[\da-f]{6}00$)/,
  transform: /scale(?:x|y|3d)?\(0*(?:\.0\d*)?[,)]|translate(?:x|y|3d)?\([^)]*-(?:\d{4,}|999|\d{3,}v[hw])/,
  scale: /^0*(?:\.0\d*)?(?:\s|$)/,
  translate: /(?:^|\s)-(?:\d{4,}|999|\d{3,}v[hw])/,
};
const FAR_OFF = /^-(?:\d{4,}|999|\d{3,}(?:v[hwbi]|vmin|vmax|r?em))/;
const OFFSETS = ["left", "top", "right", "bottom", "margin-left", "margin-top", "inset"];
const SIZES = ["height", "width", "max-height", "max-width"];
const NO_ROOM = /^[01]?(?:\.\d+)?(?:px)?$|^0(?:[a-z%]|$)/;
const DETACHED = /^(?:absolute|fixed)/;
const CUT = /^(?:hidden|clip)/;
const HIDING_PARTS: Readonly<Record<string, RegExp>> = {
  position: DETACHED,
  overflow: CUT,
  ...Object.fromEntries(SIZES.map((name) => [name, NO_ROOM])),
  ...Object.fromEntries(OFFSETS.map((name) => [name, /^-\d{3,}/])),
};
const GROUNDS = ["background-image", "background-color", "background"];
const PROPERTIES = new Set([...Object.keys(HIDING), ...Object.keys(HIDING_PARTS), ...GROUNDS]);
const AT_HOME = /^(?:auto|0(?:px|%)?|\d{1,2}px)$/;
const ROOM = "[1-9]\\d+(?:\\.\\d+)?(?:px|pt|r?em|v[hw]|%)|[1-9](?:\\.\\d+)?r?em";
const COLOUR = /^(?:#[\da-f]+|[a-z]+|(?:rgb|hsl)a?\([\d.]+%?([, ])[\d.]+%?\1[\d.]+%?(?:[,/][\d.]+%?)?\))$/;
const NONE = /^none$/;
/** What every browser knows. */
const SHOWING: Readonly<Record<string, RegExp>> = {
  display:
    /^(?:(?:inline-)?(?:block|flex|grid|table)|inline|contents|flow-root|list-item|table-(?:cell|row|row-group|caption))$/,
  visibility: /^visible$/,
  "content-visibility": /^(?:auto|visible)$/,
  opacity: /^(?:1(?:\.0+)?|0?\.[1-9]\d*|[1-9]\d(?:\.\d+)?%|100%)$/,
  filter: NONE,
  "clip-path": NONE,
  transform: NONE,
  scale: /^(?:none|1)$/,
  translate: NONE,
  clip: /^auto$/,
  "font-size": new RegExp(`^(?:${ROOM}|[2-9]p[xt]|0?\\.[5-9]\\d*r?em|medium|(?:x-)?(?:small|large))$`),
  "text-indent": /^(?:0|\d{1,2}px)$/,
  position: /^static$/,
  height: new RegExp(`^(?:auto|${ROOM})$`),
  width: new RegExp(`^(?:auto|${ROOM})$`),
  "max-height": new RegExp(`^(?:none|${ROOM})$`),
  "max-width": new RegExp(`^(?:none|${ROOM})$`),
  overflow: /^visible$/,
  left: AT_HOME,
  top: AT_HOME,
  right: AT_HOME,
  bottom: AT_HOME,
  "margin-left": AT_HOME,
  "margin-top": AT_HOME,
};

export function isHidingStyle(style: Declarations, name?: string): boolean {
  for (const [property, value] of style) if (value !== "" && HIDING[property]?.test(value)) return true;
  if (OFFSETS.some((offset) => FAR_OFF.test(style.get(offset) ?? ""))) return true;
  const isDetached = DETACHED.test(style.get("position") ?? "");
  if (isDetached && OFFSETS.some((offset) => /^-\d{3,}%/.test(style.get(offset) ?? ""))) return true;
  const isTiny = SIZES.some((size) => {
    const value = style.get(size);
    return value !== undefined && value !== "" && NO_ROOM.test(value);
  });
  return isTiny && (name === "img" || CUT.test(style.get("overflow") ?? ""));
}

export const inkOf = (style: Declarations): string | undefined => style.get("color") || undefined;

export function groundOf(style: Declarations): string | undefined {
  const grounds = GROUNDS.map((name) => style.get(name));
  return grounds.find(
    (ground) => ground !== undefined && !/^(?:none|transparent|inherit|initial|unset|0|)$/.test(ground),
  );
}

const NEAR = 16;
const NAMED: Readonly<Record<string, string>> = {
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
const PAPER = [255, 255, 255];

/** Whether ink can be told from its ground; what declares none is white, as paper is. */
export function isLegible(ink: string, ground: string | undefined): boolean {
  if (ink === ground) return false;
  const inked = toChannels(ink);
  const grounded = ground === undefined ? PAPER : toChannels(ground);
  if (!inked || !grounded) return true;
  return inked.some((channel, index) => Math.abs(channel - (grounded[index] ?? 0)) > NEAR);
}

/** Red, green and blue, of the usual notations. */
function toChannels(given: string): readonly number[] | undefined {
  const colour = NAMED[given] ?? given;
  const hex =
    /^#(?:([\da-f])([\da-f])([\da-f])[\da-f]?|([\da-f]{2})([\da-f]{2})([\da-f]{2})(?:[\da-f]{2})?)$/.exec(
      colour,
    );
  if (hex) {
    const digits = hex.slice(1).filter((part) => part !== undefined);
    return digits.map((part) => Number.parseInt(part.length === 1 ? part + part : part, 16));
  }
  const rgb = /^rgba?\((\d{1,3}(?:\.\d+)?%?)[\s,]+(\d{1,3}(?:\.\d+)?%?)[\s,]+(\d{1,3}(?:\.\d+)?%?)/.exec(
    colour,
  );
  if (rgb) return rgb.slice(1).map((part) => Number.parseFloat(part) * (part.endsWith("%") ? 2.55 : 1));
  const light = /^hsla?\([^,\s]+[\s,]+[\d.]+%?[\s,]+([\d.]+)%/.exec(colour)?.[1];
  // Whatever its hue is, there is next to nothing of it.
  return light !== undefined && Number(light) >= 96 ? PAPER : undefined;
}
