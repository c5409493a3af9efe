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

/** What is declared as usual, and what as important. */
export function parseStyle(bareCss: string): readonly [Declarations, Declarations] {
  const usual = new Map<string, string>();
  const important = new Map<string, string>();
  for (const declaration of bareCss.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, Math.max(0, colon)).trim();
    if (!PROPERTIES.has(name)) continue;
    const value = declaration
      .slice(colon + 1, colon + 500)
      .replace(IMPORTANT, "")
      .replaceAll(/\s*([(),/])\s*/g, "$1")
      .trim();
    (IMPORTANT.test(declaration) ? important : usual).set(name, value);
  }
  return [usual, important];
}

/** By itself; with what is around it see `isLegible`. */
const HIDING: Readonly<Record<string, RegExp>> = {
  display: /^none/,
  visibility: /^(?:hidden|collapse)/,
  "content-visibility": /^hidden/,
  opacity: /^(?:-|\+?0*(?:\.(?:0(?:[0-4]\d*)?)?)?$|0*[0-4]?(?:\.\d+)?%|[\d.]+e-)/,
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
const GROUNDS = ["background-image", "background-color", "background"];
const PROPERTIES = new Set([
  ...Object.keys(HIDING),
  ...["position", "overflow", ...OFFSETS, ...SIZES, ...GROUNDS],
]);

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
