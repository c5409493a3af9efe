import { isAccepted } from "./selectors.ts";
import { expand, measure, split } from "./values.ts";

const KINDS = new Set(["", "all", "screen"]);
/** What browsers say of a usual desktop screen, on which pages are taken to be read. */
const FEATURES: ReadonlyMap<string, string> = new Map(
  `width 1280px, height 800px, device-width 1280px, device-height 800px, aspect-ratio 1280/800, device-aspect-ratio 1280/800,
  orientation landscape, resolution 1x, device-pixel-ratio 1, color 8, color-gamut srgb, dynamic-range standard, grid 0,
  monochrome 0, forced-colors none, hover hover, any-hover hover, pointer fine, any-pointer fine,
  scripting enabled, update fast, overflow-block scroll, overflow-inline scroll, display-mode browser,
  prefers-color-scheme light,
  prefers-contrast no-preference,  prefers-reduced-motion no-preference, prefers-reduced-transparency no-preference`
    .split(/,\s+/)
    .map((feature) => feature.split(" ") as [string, string]),
);
const NOTHING = /^(?:0|no-preference|none)$/;

/** Whether a condition holds: one term, or several with `not`, `and`, `or` and brackets. */
function evaluate(condition: string, holds: (term: string) => boolean): boolean {
  const text = condition.trim();
  if (/^not\b/i.test(text)) return !evaluate(text.slice(3), holds);
  const parts = split(text);
  if (parts.length > 1) {
    const terms = parts.filter((part) => !/^(?:and|only|or)$/i.test(part));
    const isTrue = (term: string): boolean => evaluate(term, holds);
    return parts.some((part) => /^or$/i.test(part)) ? terms.some(isTrue) : terms.every(isTrue);
  }
  const inner = text.startsWith("(") ? text.slice(1, -1).trim() : "";
  return /^(?:\(|not\b)/i.test(inner) ? evaluate(inner, holds) : holds(text);
}

/** Whether a media query holds on that screen. An unknown feature does not hold. */
export function holdsOnScreen(media: string): boolean {
  const holds = (term: string): boolean =>
    term.startsWith("(") ? hasFeature(term.slice(1, -1).trim()) : KINDS.has(term);
  return split(media.toLowerCase(), ",")
    .join(" ")
    .split(" , ")
    .some((query) => evaluate(query, holds));
}

function hasFeature(feature: string): boolean {
  const [, name = "", value] = /^([\w-]+)\s*(?::\s*(.+))?$/.exec(feature) ?? [];
  const [, bound, size = ""] = /^(?:-webkit-)?(min|max)-(.+)$/.exec(name) ?? [];
  if (bound !== undefined) return compare(sizeOf(size), bound === "min" ? ">=" : "<=", sizeOf(value ?? ""));
  const known = FEATURES.get(name);
  if (name !== "" && value === undefined) return known !== undefined && !NOTHING.test(known);
  if (name !== "") return known === value || sizeOf(name) === sizeOf(value ?? "");
  const [first = "", ...rest] = feature.split(/\s*([<>]=?|=)\s*/);
  let left = first;
  for (let at = 0; at < rest.length; at += 2) {
    const right = rest[at + 1] ?? "";
    if (!compare(sizeOf(left), rest[at] ?? "", sizeOf(right))) return false;
    left = right;
  }
  return rest.length > 0;
}

/** The number of a feature, a length, a ratio or a resolution; NaN for anything else, so that no comparison holds. */
function sizeOf(text: string): number {
  const value = FEATURES.get(text) ?? text;
  const [, number = "", by = "1", unit] = /^([\d.]+)(?:\s*\/\s*([\d.]+)|(dppx|dpi|x))$/.exec(value) ?? [];
  return number === "" ? measure(value) : Number(number) / Number(unit === "dpi" ? 96 : by);
}

function compare(left: number, sign: string, right: number): boolean {
  if (sign.startsWith("<")) return left < right || (sign === "<=" && left === right);
  if (sign.startsWith(">")) return left > right || (sign === ">=" && left === right);
  return left === right;
}

/** Names of properties that browsers know, by their beginnings. */
const PROPERTY =
  /^(?:-webkit-(?!overflow-scrolling|touch-callout)[\w-]+|--[\w-]+|(?:accent|align|all|animation|appearance|aspect|backdrop|backface|background|block|border|bottom|box|break|caption|caret|clear|clip|color|column|columns|contain|container|content|counter|cursor|direction|display|empty|fill|filter|flex|float|font|gap|grid|height|hyphens|image|inline|inset|isolation|justify|left|letter|line|list|margin|mask|max|min|mix|object|offset|opacity|order|orphans|outline|overflow|overscroll|padding|page|paint|perspective|place|pointer|position|quotes|resize|right|rotate|row|ruby|scale|scroll|scrollbar|shape|stroke|tab|table|text|top|touch|transform|transition|translate|unicode|user|vertical|view|visibility|white|widows|width|will|word|writing|zoom|z)(?:-[a-z-]+)?)$/;

/** Whether a browser has what a condition of `@supports` asks for. */
export const isSupported = (condition: string): boolean => evaluate(condition, isTermSupported);

function isTermSupported(term: string): boolean {
  const [, selector] = /^selector\(([^]*)\)$/i.exec(term) ?? [];
  if (selector !== undefined) return isAccepted(selector);
  // Of the kinds of fonts, browsers know nearly all.
  if (!term.startsWith("(")) return /^font-(?:tech|format)\(/i.test(term);
  const [, name, value] = /^\(\s*([\w-]+)\s*:\s*([^]+)\)$/.exec(term) ?? [];
  if (name === undefined || value === undefined) return false;
  return PROPERTY.test(name.toLowerCase()) && expand(name.toLowerCase(), value.trim()) !== undefined;
}
