import { parse } from "css-what";
import parseNth from "nth-check";

import { decodeEntities } from "./entities.ts";
import type { Siblings, StyledElement } from "./siblings.ts";

/** Whether selectors may depend on earlier siblings, which are tracked only if needed. */
export const mayAskForSiblings = (list: string): boolean => /[+~]|:(?:first|nth)-/i.test(list);

/** The state while a page is walked through. Each test of an element takes a step. */
export interface Surroundings {
  readonly siblings: Siblings;
  stepsLeft: number;
}

/** A token of css-what, of any type: each type has only some of the members. */
interface Token {
  readonly type: string;
  readonly name: string;
  readonly action: string;
  readonly value: string;
  readonly ignoreCase: boolean | string | null;
  readonly data: readonly (readonly Token[])[] | string | null;
}

type Test = (element: StyledElement, around: Surroundings) => boolean;

/** `p.a#b`, and the combinator before it. */
interface Compound {
  readonly combinator: string;
  readonly tests: readonly Test[];
  readonly type?: string;
}

interface Matcher {
  readonly compounds: readonly Compound[];
  /** What a matching element must have: `#id`, `.class`, `type` or `*`. */
  readonly key: string;
}

export interface Selector extends Matcher {
  /** Its specificity. */
  readonly weight: number;
  /** False if elements match that the selector as it was written may not match. */
  readonly isCertain: boolean;
}

const MOST_COMPOUNDS = 8;
const COMBINATORS: ReadonlySet<string> = new Set(["descendant", "child", "adjacent", "sibling"]);

/** Undefined stands for what is left out, such as pseudo-elements. */
export function parseSelectors(list: string): readonly (Selector | undefined)[] {
  try {
    const parsed = parse(list) as unknown as Exclude<Token["data"], string | null>;
    if (!parsed.every(isKnown)) return [undefined];
    return parsed.map((tokens) => {
      const exact = toSelector(tokens);
      const selector = exact ?? toWider(tokens);
      return selector && { ...selector, weight: weigh(tokens), isCertain: exact !== undefined };
    });
  } catch {
    // Browsers also drop the whole rule.
    return [undefined];
  }
}

/** The pseudo-classes and pseudo-elements of CSS; those of one browser only begin with a hyphen. */
const KNOWN = new RegExp(
  `^(?:-.*|${[
    "active|active-view-transition(?:-type)?|any-link|autofill|buffering|checked|corner-present|current|decrement|default",
    "defined|dir|disabled|double-button|empty|enabled|end|first|focus(?:-visible|-within)?|fullscreen|future|has|has-slotted",
    "heading|horizontal|host(?:-context)?|hover|in-range|increment|indeterminate|interest-(?:source|target)|invalid|is|lang",
    "left|link|local-link|modal|muted|no-button|not|(?:first|last|only|nth|nth-last)-(?:child|of-type)|open|optional",
    "out-of-range|past|paused|picture-in-picture|placeholder-shown|playing|popover-open|read-only|read-write|required|right",
    "root|scope|seeking|single-button|stalled|start|state|target(?:-(?:after|before|current))?|user-invalid|user-valid|valid",
    "vertical|visited|volume-locked|where|window-inactive|xr-overlay|before|after|first-(?:line|letter)|selection|placeholder",
    "marker|backdrop|checkmark|column|cue|cue-region|details-content|file-selector-button|(?:grammar|spelling)-error|highlight",
    "interest-button|part|permission-icon|picker(?:-icon)?|scroll-button|scroll-marker(?:-group)?|search-text|slotted",
    "target-text|view-transition.*",
  ].join("|")})$`,
);

/** Whether a pseudo-class leaves out those of its selectors that browsers do not accept. */
const isForgiving = (name: string): boolean => name === "is" || name === "where";

/** Whether browsers accept a selector. */
const isKnown = (tokens: readonly Token[]): boolean =>
  tokens.every(({ type, name, data }) => {
    if (!type.startsWith("pseudo") || isForgiving(name)) return true;
    return KNOWN.test(name) && (typeof data !== "object" || data === null || data.every(isKnown));
  });

/** What can be told of a selector that depends on what comes later in the page: the rest of its last compound. */
function toWider(tokens: readonly Token[]): Matcher | undefined {
  const last = tokens.slice(tokens.findLastIndex(({ type }) => COMBINATORS.has(type)) + 1);
  const known = last.filter((token) => token.type !== "universal" && toTest(token) !== undefined);
  const isNever = tokens.some(
    ({ type, name }) => type === "pseudo-element" || (type === "pseudo" && NEVER.test(name)),
  );
  return known.length === 0 || isNever ? undefined : toSelector(known);
}

function toSelector(tokens: readonly Token[]): Matcher | undefined {
  const compounds: { combinator: string; tests: Test[]; type?: string }[] = [{ combinator: "", tests: [] }];
  let key = "*";
  for (const token of tokens) {
    const compound = compounds.at(-1);
    if (COMBINATORS.has(token.type)) {
      compounds.push({ combinator: token.type, tests: [] });
      key = "*";
      continue;
    }
    const test = toTest(token);
    if (!test || !compound || compounds.length > MOST_COMPOUNDS) return undefined;
    if (token.type === "universal") continue;
    compound.tests.push(test);
    if (token.type === "tag") {
      compound.type = token.name.toLowerCase();
      if (key === "*") key = compound.type;
    } else if (token.type === "attribute" && token.action === "equals" && token.name === "id") {
      key = `#${token.value}`;
    } else if (token.type === "attribute" && token.action === "element" && token.name === "class") {
      if (!key.startsWith("#")) key = `.${token.value}`;
    }
  }
  return { compounds, key };
}

const weigh = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + toWeight(token), 0);

function toWeight({ type, name, ignoreCase, data }: Token): number {
  if (type === "tag") return 1;
  // `#a`, but not `[id=a]`.
  if (type === "attribute") return name === "id" && ignoreCase === "quirks" ? 10_000 : 100;
  if (typeof data !== "object" || data === null) return type === "pseudo" ? 100 : 0;
  return name === "where" ? 0 : data.reduce((most, inner) => Math.max(most, weigh(inner)), 0);
}

function toTest(token: Token): Test | undefined {
  switch (token.type) {
    case "universal":
      return () => true;
    case "tag": {
      const wanted = token.name.toLowerCase();
      return ({ name }) => name === wanted;
    }
    case "attribute":
      return toAttributeTest(token);
    case "pseudo":
      return toPseudoTest(token);
    default:
      return undefined;
  }
}

const ATTRIBUTE_TESTS: {
  readonly [action: string]: (found: string, value: string) => boolean;
} = {
  exists: () => true,
  equals: (found, value) => found === value,
  element: (found, value) => value !== "" && found.split(/\s+/).includes(value),
  start: (found, value) => value !== "" && found.startsWith(value),
  end: (found, value) => value !== "" && found.endsWith(value),
  any: (found, value) => value !== "" && found.includes(value),
  hyphen: (found, value) => found === value || found.startsWith(`${value}-`),
};

function toAttributeTest({ name, action, value, ignoreCase }: Token): Test | undefined {
  if (name === "class" && action === "element") return (element) => classesOf(element).includes(value);
  const test = ATTRIBUTE_TESTS[action];
  const isExact = ignoreCase !== true;
  const wanted = isExact ? value : value.toLowerCase();
  const attribute = name.toLowerCase();
  return (
    test &&
    ((element) => {
      const found = attributeOf(element, attribute);
      return found !== undefined && test(isExact ? found : found.toLowerCase(), wanted);
    })
  );
}

/** States that a page never has while it is only read. */
const NEVER =
  /^(?:hover|active|visited|target|focus(?:-visible|-within)?|fullscreen|playing|user-invalid|modal|popover-open)$/;

const STATES: { readonly [name: string]: Test } = {
  root: ({ name }) => name === "html",
  scope: ({ name }) => name === "html",
  link: isLink,
  "any-link": isLink,
  checked: ({ attributes }) => "checked" in attributes || "selected" in attributes,
  disabled: ({ attributes }) => "disabled" in attributes,
  "first-child": (element, { siblings }) => siblings.indexOf(element) === 0,
  "first-of-type": (element, around) => indexOfType(element, around) === 0,
};

function isLink({ name, attributes }: StyledElement): boolean {
  return (name === "a" || name === "area") && "href" in attributes;
}

function toPseudoTest({ name, data }: Token): Test | undefined {
  if (NEVER.test(name)) return () => false;
  if (typeof data === "object" && data !== null) {
    const inner = (isForgiving(name) ? data.filter(isKnown) : data).map(toSelector);
    if (!/^(?:not|is|where|matches)$/.test(name) || inner.includes(undefined)) return undefined;
    const isAny: Test = (element, around) =>
      inner.some((selector) => selector !== undefined && matches(element, selector, around));
    return name === "not" ? (element, around) => !isAny(element, around) : isAny;
  }
  if (data === null) return Object.hasOwn(STATES, name) ? STATES[name] : undefined;
  if (name !== "nth-child" && name !== "nth-of-type") return undefined;
  const isNth = parseNth(data);
  return name === "nth-child"
    ? (element, { siblings }) => isNth(siblings.indexOf(element))
    : (element, around) => isNth(indexOfType(element, around));
}

/** The index among siblings of the same name, from zero. */
function indexOfType(element: StyledElement, around: Surroundings): number {
  let index = 0;
  for (let other = around.siblings.before(element); other; other = around.siblings.before(other)) {
    spend(around);
    if (other.name === element.name) index += 1;
  }
  return index;
}

function spend(around: Surroundings): void {
  around.stepsLeft -= 1;
  if (around.stepsLeft < 0) throw new RangeError("The style sheets of the page are too complex");
}

export const matches = (element: StyledElement, { compounds }: Matcher, around: Surroundings): boolean =>
  fits(element, compounds, around, compounds.length - 1);

function fits(
  element: StyledElement,
  compounds: readonly Compound[],
  around: Surroundings,
  at: number,
): boolean {
  spend(around);
  const compound = compounds[at];
  if (!compound?.tests.every((test) => test(element, around))) return false;
  if (at === 0) return true;
  const { combinator } = compound;
  const isBeside = combinator === "adjacent" || combinator === "sibling";
  const next = (from: StyledElement): StyledElement | null | undefined =>
    isBeside ? around.siblings.before(from) : from.parent;
  const isNear = combinator === "child" || combinator === "adjacent";
  for (let other = next(element); other; other = next(other)) {
    if (fits(other, compounds, around, at - 1)) return true;
    if (isNear) return false;
  }
  // A page may leave out the tags of `html` and `body`.
  const above = compounds[at - 1];
  return at === 1 && !isBeside && above?.tests.length === 1 && /^(?:html|body)$/.test(above.type ?? "");
}

/** With its entities decoded. */
export function attributeOf({ attributes }: StyledElement, name: string): string | undefined {
  const value = attributes[name];
  return value === undefined ? undefined : decodeEntities(value);
}

/** Cached: each element is tested against many rules, and again for its descendants. */
const known = new WeakMap<StyledElement["attributes"], readonly string[]>();

export function classesOf(element: StyledElement): readonly string[] {
  let classes = known.get(element.attributes);
  if (!classes) {
    classes = attributeOf(element, "class")?.split(/\s+/) ?? [];
    known.set(element.attributes, classes);
  }
  return classes;
}
