import { decodeEntities } from "./entities.ts";
import { attributeOf, classesOf, matches, type Surroundings } from "./selectors.ts";
import { findRules, RANK, type Ranked, type Rules, toOrder } from "./sheets.ts";
import { Siblings, type StyledElement } from "./siblings.ts";
import {
  type Declarations,
  groundOf,
  inkOf,
  isHidingStyle,
  isLegible,
  isTiny,
  parseStyle,
  toBareCss,
  UNKNOWN,
} from "./styles.ts";

/** Elements whose text nobody sees, wherever they stand. */
export const NEVER_SHOWN: ReadonlySet<string> = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "object",
  "embed",
  "svg",
  "canvas",
  "dialog",
  "video",
  "audio",
]);

const OTHER_SHEETS = /<link\b[^<>]{0,500}\bstylesheet\b|@import\b/i;
const BLOCK = /^(?:block|flex|grid|flow-root|list-item|table|table-row)$/;

/** Classes that the usual style sheets hide from everybody who looks at a page. */
const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text)(?:\s|$)/;

const NONE_CLASS = /(?:^|\s)d-none(?:\s|$)/;
/** `d-none d-md-block` hides from small screens alone. The last that is there decides. */
const WIDTH_CLASSES = ["sm", "md", "lg", "xl"].map((width) => ({
  none: new RegExp(`(?:^|\\s)d-${width}-none(?:\\s|$)`),
  shown: new RegExp(
    `(?:^|\\s)d-${width}-(?:(?:inline-)?(?:block|flex|grid)|inline|table(?:-cell|-row)?)(?:\\s|$)`,
  ),
}));

/** How the page itself styles an element, and the text right inside it. */
interface Look {
  readonly style: Declarations;
  readonly ink: string;
  readonly ground: string;
  readonly areColoursLegible: boolean;
  readonly isTiny: boolean;
}

const NO_STYLE: Declarations = new Map();
/** Elements that browsers give an ink of their own, as they do links. */
const OWN_INK = new Set(["button", "mark", "option", "select", "textarea"]);

/** The elements of a page that a reader of the rendered page does not see, as far as the page itself styles them. */
export class HiddenElements {
  readonly #rules: Rules;
  /** The ancestors are asked again for each of their descendants. */
  readonly #looks = new WeakMap<StyledElement, Look>();
  readonly #around: Surroundings = { siblings: new Siblings(), stepsLeft: 100_000_000 };

  readonly #page: Look;

  constructor(html: string) {
    this.#rules = findRules(html);
    // Style sheets in other files may have coloured anything.
    const ground = OTHER_SHEETS.test(html) ? UNKNOWN : "white";
    this.#page = { style: NO_STYLE, ink: UNKNOWN, ground, areColoursLegible: true, isTiny: false };
  }

  /** To be asked about every element, in the order of the page: some rules ask what stands before it. */
  has(element: StyledElement): boolean {
    const { name, attributes } = element;
    if (this.#rules.askForSiblings) this.#around.siblings.enter(element);
    if (NEVER_SHOWN.has(name))
      return (
        !(name === "dialog" && "open" in attributes) &&
        !(name === "template" && "shadowrootmode" in attributes)
      );
    if ("hidden" in attributes && attributes["hidden"] !== "until-found") return true;
    if ("popover" in attributes) return true;
    if (name === "input") return attributes["type"] === "hidden";
    if (name === "img" && (isDot(attributes["width"]) || isDot(attributes["height"]))) return true;
    const classes = attributes["class"] ?? "";
    if (HIDING_CLASS.test(classes) || hasNoDisplay(classes)) return true;
    // Pages hide themselves until their scripts have run.
    if (name === "html" || name === "body") return false;
    return isHidingStyle(this.#lookOf(element).style, name);
  }

  /** Whether text right inside it can be read: elements in it may have other colours and sizes. */
  isLegibleIn(element: StyledElement): boolean {
    const look = this.#lookOf(element);
    return look.areColoursLegible && !look.isTiny;
  }

  /** Whether it is a cell of a table that is there, though what is in it cannot be seen. */
  keepsPlace(element: StyledElement): boolean {
    const { name, attributes } = element;
    if ((name !== "td" && name !== "th") || "hidden" in attributes) return false;
    return !hasNoDisplay(attributes["class"] ?? "") && this.#lookOf(element).style.get("display") !== "none";
  }

  /** Whether it stands in lines of its own. */
  isBlock(element: StyledElement): boolean {
    const display = this.#lookOf(element).style.get("display");
    return display === undefined ? element.name === "div" || element.name === "p" : BLOCK.test(display);
  }

  #lookOf(element: StyledElement): Look {
    const known = this.#looks.get(element);
    if (known) return known;
    const around = element.parent ? this.#lookOf(element.parent) : this.#page;
    const { name, attributes } = element;
    const rules = this.#rulesFor(element);
    const style = rules.length === 0 ? NO_STYLE : cascade(rules);
    const ink = inkOf(style, around.ink, name === "a" ? "href" in attributes : OWN_INK.has(name));
    const ground = groundOf(style, around.ground);
    const isSame = ink === around.ink && ground === around.ground;
    const areColoursLegible = isSame ? around.areColoursLegible : isLegible(ink, ground);
    const look = { style, ink, ground, areColoursLegible, isTiny: isTiny(style, around.isTiny) };
    this.#looks.set(element, look);
    return look;
  }

  /** Those that match and its own, the strongest last. */
  #rulesFor(element: StyledElement): readonly Ranked[] {
    const { byKey } = this.#rules;
    const found = toOwnRules(element);
    if (byKey.size === 0) return found;
    const look = (key: string): void => {
      for (const rule of byKey.get(key) ?? [])
        if (matches(element, rule.selector, this.#around)) found.push(rule);
    };
    look("*");
    look(element.name);
    const id = attributeOf(element, "id");
    if (id !== undefined) look(`#${id}`);
    for (const name of classesOf(element)) look(`.${name}`);
    return found.length > 1 ? found.toSorted((a, b) => a.order - b.order) : found;
  }
}

function cascade(rules: readonly Ranked[]): Declarations {
  const style = new Map<string, string>();
  for (const ranked of rules) for (const [name, value] of ranked.style) style.set(name, value);
  return style;
}

const isDot = (size: string | undefined): boolean => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);

function hasNoDisplay(classes: string): boolean {
  if (!NONE_CLASS.test(classes)) return false;
  const last = WIDTH_CLASSES.findLast(({ none, shown }) => none.test(classes) || shown.test(classes));
  return last === undefined || last.none.test(classes);
}

function toOwnRules({ name, attributes }: StyledElement): Ranked[] {
  const { style, background, bgcolor } = attributes;
  const ink = name === "font" ? attributes["color"] : name === "body" ? attributes["text"] : undefined;
  const weakest = new Map<string, string>();
  if (ink) weakest.set("color", toColour(ink));
  if (bgcolor) weakest.set("background-color", toColour(bgcolor));
  if (background) weakest.set("background-image", background);
  const rules: Ranked[] = weakest.size > 0 ? [{ style: weakest, order: -1 }] : [];
  if (style) {
    const [usual, important] = parseStyle(toBareCss(decodeEntities(style)));
    rules.push({ style: usual, order: toOrder(RANK.own) });
    rules.push({ style: important, order: toOrder(RANK.importantOwn) });
  }
  return rules;
}

/** Of an attribute, where the sign before the digits may be left out. */
const toColour = (given: string): string =>
  given
    .trim()
    .toLowerCase()
    .replace(/^(?=(?:[\da-f]{3}){1,2}$)/, "#");
