import { decodeEntities } from "./entities.ts";
import type { Markup } from "./markup.ts";
import { attributeOf, classesOf, matches, type Surroundings } from "./selectors.ts";
import { findRules, RANK, type Ranked, type Rules, toOrder } from "./sheets.ts";
import { Siblings, type StyledElement } from "./siblings.ts";
import {
  type Animations,
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

/** Elements whose text is never visible. */
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

/** External style sheets may set any background, and have any animation. Scripts may load those in `noscript`. */
const EXTERNAL = /<link\b[^<>]{0,500}\bstylesheet\b|@import\b/i;
/** A colour scheme or a blend mode may change what is declared. */
const OTHER_COLOURS = /(?<!prefers-)color-scheme\b|mix-blend-mode/i;
const BLOCK = /^(?:block|flex|grid|flow-root|list-item|table|table-row)$/;

/** Classes that common style sheets hide from everyone but screen readers. */
const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text)(?:\s|$)/;

const NONE_CLASS = /(?:^|\s)d-none(?:\s|$)/;
/** `d-none d-md-block` hides only on small screens. The class for the largest width decides. */
const WIDTH_CLASSES = ["sm", "md", "lg", "xl"].map((width) => ({
  none: new RegExp(`(?:^|\\s)d-${width}-none(?:\\s|$)`),
  shown: new RegExp(
    `(?:^|\\s)d-${width}-(?:(?:inline-)?(?:block|flex|grid)|inline|table(?:-cell|-row)?)(?:\\s|$)`,
  ),
}));

/** The style of an element, and that of the text directly in it. */
interface Look {
  readonly style: Declarations;
  readonly ink: string;
  readonly ground: string;
  readonly areColoursLegible: boolean;
  readonly isTiny: boolean;
}

const OMITTED_HTML: StyledElement = { name: "html", attributes: {} };
const OWN_INK = new Set(["button", "mark", "option", "select", "textarea"]);

/** Tells which elements of a page are hidden by its own styles. */
export class HiddenElements {
  readonly #rules: Rules;
  readonly #animations: Animations;
  /** Cached: each element needs the look of its parent. */
  readonly #looks = new WeakMap<StyledElement, Look>();
  readonly #around: Surroundings = { siblings: new Siblings(), stepsLeft: 100_000_000 };

  readonly #page: Look;
  #omittedBody: StyledElement | undefined;

  constructor({ page, sheets }: Markup) {
    this.#rules = findRules(sheets);
    const isStyledElsewhere = EXTERNAL.test(page);
    this.#animations = isStyledElsewhere ? undefined : this.#rules.animations;
    const areColoursUnknown = isStyledElsewhere || this.#rules.areGroundsMissing || OTHER_COLOURS.test(page);
    const ground = areColoursUnknown ? UNKNOWN : "white";
    this.#page = { style: new Map(), ink: UNKNOWN, ground, areColoursLegible: true, isTiny: false };
  }

  /** Call it for every element in document order: some selectors depend on earlier siblings. */
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
    if (/^(?:img|iframe)$/.test(name) && (isDot(attributes["width"]) || isDot(attributes["height"])))
      return true;
    const classes = attributes["class"] ?? "";
    if (HIDING_CLASS.test(classes) || hasNoDisplay(classes)) return true;
    // Some pages hide themselves until their scripts have run.
    if (name === "html" || name === "body") return false;
    return isHidingStyle(this.#lookOf(element).style, name, this.#animations);
  }

  /** Whether text directly in the element can be read. Its children may have other colours and sizes. */
  isLegibleIn(element: StyledElement): boolean {
    const look = this.#lookOf(element);
    return look.areColoursLegible && !look.isTiny;
  }

  /** Whether a hidden element is a table cell that still takes its place in the row. */
  keepsPlace(element: StyledElement): boolean {
    const { name, attributes } = element;
    if ((name !== "td" && name !== "th") || "hidden" in attributes) return false;
    return !hasNoDisplay(attributes["class"] ?? "") && this.#lookOf(element).style.get("display") !== "none";
  }

  /** Whether the element starts and ends a line. */
  isBlock(element: StyledElement): boolean {
    const display = this.#lookOf(element).style.get("display");
    return display === undefined ? /^(?:div|p|h[1-6])$/.test(element.name) : BLOCK.test(display);
  }

  #lookOf(element: StyledElement): Look {
    const known = this.#looks.get(element);
    if (known) return known;
    const around = element.name === "html" ? this.#page : this.#lookOf(this.#parentOf(element));
    const rules = this.#rulesFor(element);
    // Most elements look like those around them, and a look takes time to make.
    const isPlain = rules.length === 0 && around.style.size === 0 && !hasOwnInk(element);
    const look = isPlain ? around : toLook(element, cascade(rules), around);
    this.#looks.set(element, look);
    return look;
  }

  /** A page may leave out the tags of `html` and `body`, whose styles apply all the same. */
  #parentOf({ name, parent }: StyledElement): StyledElement {
    const above = parent ?? OMITTED_HTML;
    if (above.name !== "html" || name === "head" || name === "body") return above;
    this.#omittedBody ??= { name: "body", attributes: {}, parent: above };
    return this.#omittedBody;
  }

  /** The matching rules and the element's own, strongest last. */
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

/** Whether the element does not inherit its text colour. */
const hasOwnInk = ({ name, attributes }: StyledElement): boolean =>
  name === "a" ? "href" in attributes : OWN_INK.has(name);

function toLook(element: StyledElement, style: Declarations, around: Look): Look {
  const ink = inkOf(style, around.ink, hasOwnInk(element));
  // An element that is positioned may lie on top of another.
  const isInPlace = (style.get("position") ?? "static") === "static";
  const ground = groundOf(style, isInPlace ? around.ground : UNKNOWN);
  const isSame = ink === around.ink && ground === around.ground;
  const areColoursLegible = isSame ? around.areColoursLegible : isLegible(ink, ground);
  return { style, ink, ground, areColoursLegible, isTiny: isTiny(style, around.isTiny) };
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
  if (!style && !ink && !bgcolor && !background) return [];
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

/** The colour in an attribute, where the `#` may be missing. */
const toColour = (given: string): string =>
  given
    .trim()
    .toLowerCase()
    .replace(/^(?=(?:[\da-f]{3}){1,2}$)/, "#");
