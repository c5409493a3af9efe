import { isAccepted } from "./selectors.ts";
import { expand, split } from "./values.ts";

/** A usual desktop screen, on which pages are taken to be read. */
const SCREEN: ReadonlyMap<string, number> = new Map([
  ["width", 1280],
  ["height", 800],
  ["device-width", 1280],
  ["device-height", 800],
  ["resolution", 96],
]);
const KINDS = new Set(["", "all", "screen"]);
const FEATURES: ReadonlyMap<string, string> = new Map([
  ["orientation", "landscape"],
  ["hover", "hover"],
  ["any-hover", "hover"],
  ["pointer", "fine"],
  ["any-pointer", "fine"],
  ["color", "8"],
  ["grid", "0"],
  ["scripting", "enabled"],
  ["update", "fast"],
  ["display-mode", "browser"],
  ["prefers-color-scheme", "light"],
  ["prefers-reduced-motion", "no-preference"],
  ["prefers-contrast", "no-preference"],
]);
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["px", 1],
  ["em", 16],
  ["rem", 16],
  ["pt", 4 / 3],
  ["dpi", 1],
  ["dppx", 96],
  ["x", 96],
]);

/** Whether a media query holds on that screen. An unknown feature does not hold. */
export function holdsOnScreen(media: string): boolean {
  const queries = media.toLowerCase().split(",");
  return queries.some((query) => isTrue(query.trim()));
}

function isTrue(query: string): boolean {
  if (query.startsWith("not ")) return !isTrue(query.slice(4).trim());
  const bare = query.replace(/^only\s+/, "");
  if (/\)\s+or\s+\(/.test(bare)) return bare.split(/\s+or\s+/).some(isTrue);
  return bare
    .split(/\s+and\s+/)
    .every((term) => (term.startsWith("(") ? hasFeature(term.slice(1, -1).trim()) : KINDS.has(term)));
}

function hasFeature(feature: string): boolean {
  const [, name = "", value] = /^([\w-]+)\s*(?::\s*(.+))?$/.exec(feature) ?? [];
  const [, bound, measure = ""] = /^(min|max)-(.+)$/.exec(name) ?? [];
  if (bound !== undefined)
    return compare(sizeOf(measure), bound === "min" ? ">=" : "<=", sizeOf(value ?? ""));
  if (name !== "")
    return value === undefined ? FEATURES.has(name) || SCREEN.has(name) : FEATURES.get(name) === value;
  const [first = "", ...rest] = feature.split(/\s*([<>]=?|=)\s*/);
  let left = first;
  for (let at = 0; at < rest.length; at += 2) {
    const right = rest[at + 1] ?? "";
    if (!compare(sizeOf(left), rest[at] ?? "", sizeOf(right))) return false;
    left = right;
  }
  return rest.length > 0;
}

/** A size of the screen if `text` names one, else the length or resolution; NaN for anything else, so that no comparison holds. */
function sizeOf(text: string): number {
  const known = SCREEN.get(text);
  if (known !== undefined) return known;
  const [, number = "", unit = ""] = /^([\d.]+)([a-z]*)$/.exec(text.trim()) ?? [];
  return number === "" ? Number.NaN : Number(number) * (UNITS.get(unit) ?? Number.NaN);
}

function compare(left: number, sign: string, right: number): boolean {
  if (sign.startsWith("<")) return left < right || (sign === "<=" && left === right);
  if (sign.startsWith(">")) return left > right || (sign === ">=" && left === right);
  return left === right;
}

/** Names of properties that browsers know, by their beginnings. */
const PROPERTY =
  /^(?:-webkit-[\w-]+|--[\w-]+|(?:accent|align|all|animation|appearance|aspect|backdrop|backface|background|block|border|bottom|box|break|caption|caret|clear|clip|color|column|columns|contain|container|content|counter|cursor|direction|display|empty|fill|filter|flex|float|font|gap|grid|height|hyphens|image|inline|inset|isolation|justify|left|letter|line|list|margin|mask|max|min|mix|object|offset|opacity|order|orphans|outline|overflow|overscroll|padding|page|paint|perspective|place|pointer|position|quotes|resize|right|rotate|row|ruby|scale|scroll|scrollbar|shape|stroke|tab|table|text|top|touch|transform|transition|translate|unicode|user|vertical|view|visibility|white|widows|width|will|word|writing|zoom|z)(?:-[a-z-]+)?)$/;

/** Whether a browser has what a condition of `@supports` asks for. */
export function isSupported(condition: string): boolean {
  const text = condition.trim();
  if (/^not\b/i.test(text)) return !isSupported(text.slice(3));
  const parts = split(text);
  if (parts.length > 1) {
    const isAny = parts.some((part) => /^or$/i.test(part));
    const terms = parts.filter((part) => !/^(?:and|or)$/i.test(part));
    return isAny ? terms.some(isSupported) : terms.every(isSupported);
  }
  const [, selector] = /^selector\(([^]*)\)$/i.exec(text) ?? [];
  if (selector !== undefined) return isAccepted(selector);
  // Of the kinds of fonts, browsers know nearly all.
  if (!text.startsWith("(")) return /^font-(?:tech|format)\(/i.test(text);
  const inner = text.slice(1, -1).trim();
  const [, name, value] = /^([\w-]+)\s*:\s*([^]+)$/.exec(inner) ?? [];
  if (name === undefined || value === undefined) return /^[(n]/i.test(inner) && isSupported(inner);
  return PROPERTY.test(name.toLowerCase()) && expand(name.toLowerCase(), value.trim()) !== undefined;
}
