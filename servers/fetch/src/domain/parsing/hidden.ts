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
  parseStyle,
  toBareCss,
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

const SHEETS = /<link\b[^<>]{0,500}\bstylesheet\b|@import\b/i;
const INHERITED = /^(?:inherit|unset|currentcolor)$/;
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

/** Colours of text and of what is under it, declared on an element or the nearest around it. */
interface Colours {
  readonly ink: string | undefined;
  readonly ground: string | undefined;
  readonly areLegible: boolean;
}

/** How the page itself styles an element. */
interface Look {
  readonly style: Declarations;
  readonly colours: Colours;
}

const NO_COLOURS: Colours = { ink: undefined, ground: undefined, areLegible: true };
const NO_STYLE: Declarations = new Map();
/** Elements that browsers give an ink of their own, as they do links. */
const OWN_INK = new Set(["button", "mark", "option", "select", "textarea"]);

/** The elements of a page that a reader of the rendered page does not see, as far as the page itself styles them. */
export class HiddenElements {
  readonly #rules: Rules;
  /** The ancestors are asked again for each of their descendants. */
  readonly #looks = new WeakMap<StyledElement, Look>();
  readonly #around: Surroundings = { siblings: new Siblings(), stepsLeft: 100_000_000 };

  /** Of style sheets elsewhere nothing is known. */
  readonly #hasSheets: boolean;

  constructor(html: string) {
    this.#rules = findRules(html);
    this.#hasSheets = SHEETS.test(html);
  }

  /** To be asked about every element, in the order of the page: some rules ask what stands before it. */
  has(element: StyledElement): boolean {
    const { name, attributes } = element;
    if (this.#rules.askForSiblings) this.#around.siblings.enter(element);
    if (NEVER_SHOWN.has(name)) return !(name === "dialog" && "open" in attributes);
    if ("hidden" in attributes && attributes["hidden"] !== "until-found") return true;
    if ("popover" in attributes) return true;
    if (name === "input") return attributes["type"] === "hidden";
    if (name === "img" && (isDot(attributes["width"]) || isDot(attributes["height"]))) return true;
    const classes = attributes["class"] ?? "";
    if (HIDING_CLASS.test(classes) || hasNoDisplay(classes)) return true;
    // Pages hide themselves until their scripts have run.
    if (name === "html" || name === "body") return false;
    // An address is not left behind by a link that cannot be seen.
    return isHidingStyle(this.#lookOf(element).style, name) || (name === "a" && !this.isLegibleIn(element));
  }

  /** Whether text right inside it can be told from what is under it: elements in it may have other colours. */
  isLegibleIn(element: StyledElement): boolean {
    return this.#lookOf(element).colours.areLegible;
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
    const around = element.parent ? this.#lookOf(element.parent).colours : NO_COLOURS;
    const { name, attributes } = element;
    const rules = this.#rulesFor(element);
    const style = rules.length === 0 ? NO_STYLE : cascade(rules);
    let own = attributes["background"] ? "an image" : toColour(attributes["bgcolor"]);
    for (const ranked of rules) own = groundOf(ranked.style) ?? own;
    const given = name === "font" ? attributes["color"] : name === "body" ? attributes["text"] : undefined;
    const hasOwnInk = name === "a" ? "href" in attributes : OWN_INK.has(name);
    const declared = inkOf(style) ?? toColour(given);
    const inherits = declared === undefined ? !hasOwnInk : INHERITED.test(declared);
    const ink = inherits ? around.ink : declared;
    const ground = own ?? around.ground ?? (this.#isDarkElsewhere(name, ink) ? "elsewhere" : undefined);
    const isSame = ink === around.ink && ground === around.ground;
    const colours = isSame
      ? around
      : { ink, ground, areLegible: ink === undefined || isLegible(ink, ground) };
    const look = { style, colours };
    this.#looks.set(element, look);
    return look;
  }

  /** A page that is light on dark may well have the dark in a sheet elsewhere. */
  #isDarkElsewhere(name: string, ink: string | undefined): boolean {
    const isPage = name === "html" || name === "body";
    return isPage && this.#hasSheets && ink !== undefined && !isLegible(ink, undefined);
  }

  /** Those that match and its own, the strongest last. */
  #rulesFor(element: StyledElement): readonly Ranked[] {
    const { byKey } = this.#rules;
    const found = toOwnRules(element.attributes);
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

/** Of an attribute, where the sign before the digits may be left out. */
const toColour = (given: string | undefined): string | undefined =>
  given
    ?.trim()
    .toLowerCase()
    .replace(/^(?=(?:[\da-f]{3}){1,2}$)/, "#");

const isDot = (size: string | undefined): boolean => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);

function hasNoDisplay(classes: string): boolean {
  if (!NONE_CLASS.test(classes)) return false;
  const last = WIDTH_CLASSES.findLast(({ none, shown }) => none.test(classes) || shown.test(classes));
  return last === undefined || last.none.test(classes);
}

function toOwnRules({ style = "" }: StyledElement["attributes"]): Ranked[] {
  if (style === "") return [];
  const [usual, important] = parseStyle(toBareCss(decodeEntities(style)));
  return [
    { style: usual, order: toOrder(RANK.own) },
    { style: important, order: toOrder(RANK.importantOwn) },
  ];
}
