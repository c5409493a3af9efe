import { decodeEntities } from "./entities.ts";
import { attributeOf, classesOf, matches, type Surroundings } from "./selectors.ts";
import { findRules, type Rule, type Rules } from "./sheets.ts";
import { Siblings, type StyledElement } from "./siblings.ts";
import { type Declarations, groundOf, inkOf, isHidingStyle, isLegible, parseStyle } from "./styles.ts";

/** Elements whose text nobody sees, wherever they stand. */
const NEVER_SHOWN = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "object",
  "embed",
  "svg",
  "canvas",
  "dialog",
]);

/** Classes that the usual style sheets hide from everybody who looks at a page. */
const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|d-none)(?:\s|$)/;

/** The elements of a page that a reader of the rendered page does not see, as far as the page itself styles them. */
export class HiddenElements {
  readonly #rules: Rules;
  /** The ancestors are asked again for each of their descendants. */
  readonly #grounds = new WeakMap<StyledElement, string | undefined>();
  readonly #around: Surroundings = { siblings: new Siblings(), stepsLeft: 100_000_000 };

  constructor(html: string) {
    this.#rules = findRules(html);
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
    if (HIDING_CLASS.test(attributes["class"] ?? "")) return true;
    const own = toOwnStyle(attributes);
    if (own && isHidingStyle(own, name)) return true;
    // Pages hide themselves until their scripts have run.
    if (name === "html" || name === "body") return false;
    const rules = this.#rulesFor(element);
    if (rules.some(({ style }) => isHidingStyle(style, name))) return true;
    const ink = (own && inkOf(own)) ?? rules.findLast(({ style }) => inkOf(style))?.style.get("color");
    return ink !== undefined && !isLegible(ink, this.#groundUnder(element));
  }

  /** Those that match, the most specific last. */
  #rulesFor(element: StyledElement): readonly Rule[] {
    const { byKey } = this.#rules;
    if (byKey.size === 0) return [];
    const found: Rule[] = [];
    const look = (key: string): void => {
      for (const rule of byKey.get(key) ?? [])
        if (matches(element, rule.selector, this.#around)) found.push(rule);
    };
    look("*");
    look(element.name);
    const id = attributeOf(element, "id");
    if (id !== undefined) look(`#${id}`);
    for (const name of classesOf(element)) look(`.${name}`);
    return found.length > 1 ? found.toSorted((a, b) => a.selector.weight - b.selector.weight) : found;
  }

  /** The background that the element or the nearest around it declares. */
  #groundUnder(element: StyledElement): string | undefined {
    for (let at: StyledElement | null | undefined = element; at; at = at.parent) {
      if (!this.#grounds.has(at)) this.#grounds.set(at, this.#groundOf(at));
      const ground = this.#grounds.get(at);
      if (ground !== undefined) return ground;
    }
    return undefined;
  }

  #groundOf(element: StyledElement): string | undefined {
    const own = toOwnStyle(element.attributes);
    const inSheet = (): string | undefined =>
      this.#rulesFor(element)
        .map(({ style }) => groundOf(style))
        .findLast((ground) => ground !== undefined);
    return (own && groundOf(own)) ?? inSheet() ?? element.attributes["bgcolor"];
  }
}

const isDot = (size: string | undefined): boolean => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);

const toOwnStyle = ({ style }: StyledElement["attributes"]): Declarations | undefined =>
  style === undefined || style === "" ? undefined : parseStyle(decodeEntities(style));
