import { compile, type Options } from "css-select";
import { parse } from "css-what";

import { attributeOf, type Element, isCustom, isElement, isText, type Node } from "./tree.ts";

/** A token of css-what, of any type: each type has only some of the members. */
interface Token {
  readonly type: string;
  readonly name: string;
  readonly namespace?: string | null;
  readonly action?: string;
  readonly value?: string;
  readonly ignoreCase?: boolean | string | null;
  readonly data?: readonly (readonly Token[])[] | string | null;
}

const COMBINATORS: ReadonlySet<string> = new Set([
  "descendant",
  "child",
  "adjacent",
  "sibling",
  "parent",
  "column-combinator",
]);
const isTraversal = ({ type }: Token): boolean => COMBINATORS.has(type);
const parseList = (list: string): readonly (readonly Token[])[] =>
  parse(list) as unknown as readonly (readonly Token[])[];
const isList = (data: Token["data"]): data is readonly (readonly Token[])[] =>
  typeof data === "object" && data !== null;

export interface Selector {
  /** What a matching element must have: `#id`, `.class`, `type` or `*`. */
  readonly key: string;
  /** Its specificity. */
  readonly weight: number;
  /** What it is for: an element, what fills a slot, the host of a shadow root, or what is drawn before or after an element. */
  readonly target: "element" | "slotted" | "host" | "pseudo";
  matches(element: Element): boolean;
}

/** How many steps all selectors of a page may still take. */
export interface Steps {
  left: number;
}

/** Pseudo-classes that never hold while a page is only read, and those that always do. */
const NEVER =
  /^(?:active|autofill|buffering|current|focus(?:-visible|-within)?|fullscreen|future|hover|modal|muted|past|paused|picture-in-picture|playing|popover-open|seeking|stalled|target(?:-(?:after|before|current|within))?|user-(?:in)?valid|visited|volume-locked|interest-(?:source|target)|active-view-transition(?:-type)?|xr-overlay|has-slotted|state|indeterminate|in-range|out-of-range|invalid|-webkit-.*)$/;
const ALWAYS = /^(?:defined|valid)$/;
const LISTS = /^(?:is|where|not|has|matches|-webkit-any)$/;
const KNOWN =
  /^(?:any-link|checked|default|dir|disabled|empty|enabled|(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type)|host|host-context|lang|link|open|optional|placeholder-shown|read-only|read-write|required|root|scope)$/;
const ELEMENTS =
  /^(?:-webkit-.*|before|after|first-(?:line|letter)|selection|placeholder|marker|backdrop|checkmark|column|cue(?:-region)?|details-content|file-selector-button|(?:grammar|spelling)-error|highlight|interest-button|part|permission-icon|picker(?:-icon)?|scroll-(?:button|marker(?:-group)?)|search-text|slotted|target-text|view-transition.*)$/;

/** Whether browsers accept a selector. */
const isKnown = (tokens: readonly Token[]): boolean =>
  tokens.every((token) => {
    if (token.type === "pseudo-element") return ELEMENTS.test(token.name);
    if (token.type !== "pseudo") return true;
    const { name, data } = token;
    if (LISTS.test(name)) return name === "is" || name === "where" || (isList(data) && data.every(isKnown));
    return NEVER.test(name) || ALWAYS.test(name) || KNOWN.test(name);
  });

/** Classes and ids that begin with a digit, outside of strings, brackets and lists that forgive. */
const NO_NAME = /[.#](?:-?\d|(?=[.#\s,>+~:]|$))/;
const ASIDE = /\\[^]|"[^"]*"?|'[^']*'?|\[[^\]]*\]?|:(?:is|where)\([^()]*\)/gi;

/** The selectors of a list; none if browsers do not accept all of them. */
function parseKnown(list: string): readonly (readonly Token[])[] {
  if (NO_NAME.test(list.replaceAll(ASIDE, "a"))) return [];
  try {
    const parsed = parseList(list);
    return parsed.every(isKnown) ? parsed : [];
  } catch {
    return [];
  }
}

/** Whether browsers accept a list of selectors. */
export const isAccepted = (list: string): boolean => parseKnown(list).length > 0;

/** Without the parts of lists that browsers do not accept, and that no element matches. */
const toForgiven = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((given) => {
    const token = given.namespace === "*" ? { ...given, namespace: null } : given;
    if (token.type !== "pseudo") return token;
    if (!isList(token.data)) return NEVER.test(token.name) ? { ...token, name: "never", data: null } : token;
    const data = token.data.filter(isKnown).map(toForgiven);
    if (token.name === "host")
      return [
        { ...token, data: null },
        { ...token, name: "is", data },
      ];
    return { ...token, name: token.name === "-webkit-any" ? "is" : token.name, data };
  });

const isNever = (token: Token): boolean =>
  token.type === "pseudo-element" || (token.type === "pseudo" && NEVER.test(token.name));

/** Compiles lists of selectors, which a browser drops as a whole if it does not know one of them. */
export class Selectors {
  readonly #options: Options<Node, Element & Node>;
  readonly #steps: Steps;

  constructor(isQuirky: boolean, steps: Steps, hasScripts: boolean) {
    this.#steps = steps;
    const spend = (): void => {
      steps.left -= 1;
      if (steps.left < 0) throw new RangeError("The style sheets of the page are too complex");
    };
    const siblingsOf = ({ parentNode }: Node): Node[] => parentNode?.childNodes ?? [];
    this.#options = {
      quirksMode: isQuirky,
      cacheResults: false,
      relativeSelector: false,
      pseudos: {
        // Unlike css-select, browsers count spaces.
        empty: ({ childNodes }) =>
          childNodes.every((node) => !isElement(node) && !(isText(node) && node.value !== "")),
        open: (element) => attributeOf(element, "open") !== undefined,
        host: ({ tagName }) => tagName === HOST,
        "host-context": () => false,
        "placeholder-shown": (element) => attributeOf(element, "placeholder") !== undefined,
        default: () => false,
        dir: (_, wanted) => wanted === "ltr",
        // Scripts may define any.
        defined: ({ tagName }) => hasScripts || !isCustom(tagName),
        never: () => false,
        valid: () => true,
      },
      adapter: {
        isTag: (node): node is Element & Node => {
          spend();
          return isElement(node);
        },
        getAttributeValue: attributeOf,
        hasAttrib: (element, name) => attributeOf(element, name) !== undefined,
        getChildren: (node) => (isElement(node) ? node.childNodes : []),
        getName: ({ tagName }) => {
          spend();
          return tagName.toLowerCase();
        },
        getParent: ({ parentNode }) => (parentNode && isElement(parentNode) ? parentNode : null),
        getSiblings: siblingsOf,
        getText: () => "",
        removeSubsets: (nodes) => nodes,
      },
    };
  }

  /** None if browsers do not accept the list. Those that match nothing are left out. */
  read(list: string): readonly Selector[] {
    return parseKnown(list).flatMap((tokens) => this.#toSelector(tokens) ?? []);
  }

  #toSelector(given: readonly Token[]): Selector | undefined {
    const last = given.at(-1);
    const pseudo = last?.type === "pseudo-element" ? last.name : "";
    const isDrawn = pseudo === "before" || pseudo === "after";
    const isSlotted = pseudo === "slotted";
    const slotted =
      isSlotted && last?.type === "pseudo-element" && typeof last.data === "string"
        ? parseList(last.data)[0]
        : undefined;
    const inner = isSlotted ? slotted : isDrawn ? toElement(given) : given;
    if (inner === undefined || inner.some(isNever) || inner.slice(0, 1).some(isTraversal)) return undefined;
    const tokens = toForgiven(inner);
    const compound = tokens.slice(tokens.findLastIndex((token) => isTraversal(token)) + 1);
    const isHost = compound.some((token) => token.type === "pseudo" && token.name === "host");
    let test: ((element: Element & Node) => boolean) | undefined;
    return {
      key: isHost ? "*" : toKey(compound),
      weight: weigh(given),
      target: isDrawn ? "pseudo" : isSlotted ? "slotted" : isHost ? "host" : "element",
      matches: (element) => {
        // Most selectors of a page never come this far.
        test ??= this.#toSimple(tokens) ?? this.#compile(tokens);
        this.#steps.left -= 1;
        return test(element);
      },
    };
  }

  /** For a selector that is only a class: most are, and css-select makes a regular expression for each. */
  #toSimple([token, ...rest]: readonly Token[]): ((element: Element) => boolean) | undefined {
    if (this.#options.quirksMode || rest.length > 0) return undefined;
    if (token?.type !== "attribute" || token.action !== "element" || token.name !== "class") return undefined;
    return (element) => (attributeOf(element, "class") ?? "").split(/\s+/).includes(token.value ?? "");
  }

  #compile(tokens: Token[]): (element: Element & Node) => boolean {
    try {
      return compile<Node, Element & Node>([tokens] as never, this.#options);
    } catch {
      return () => false;
    }
  }
}

/** What a selector of a pseudo-element says of the element. */
const toElement = (tokens: readonly Token[]): readonly Token[] =>
  tokens.length > 1 ? tokens.slice(0, -1) : [{ type: "universal", name: "*" }];

/** The name of the element that stands for the host of a shadow root. */
export const HOST = "#host";

function toKey(compound: readonly Token[]): string {
  let key = "*";
  for (const token of compound) {
    if (token.type === "tag" && key === "*") key = token.name.toLowerCase();
    else if (token.type !== "attribute") continue;
    else if (token.action === "equals" && token.name === "id" && token.ignoreCase === "quirks")
      key = `#${token.value}`;
    else if (token.action === "element" && token.name === "class" && !key.startsWith("#"))
      key = `.${token.value}`;
  }
  return key.toLowerCase();
}

const weigh = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + toWeight(token), 0);

function toWeight(token: Token): number {
  if (token.type === "tag" || token.type === "pseudo-element") return 1;
  // `#a`, but not `[id=a]`.
  if (token.type === "attribute") return token.name === "id" && token.ignoreCase === "quirks" ? 10_000 : 100;
  if (token.type !== "pseudo") return 0;
  if (!isList(token.data)) return 100;
  return token.name === "where" ? 0 : Math.max(0, ...token.data.map(weigh));
}
