import { parseCommaSeparatedListOfComponentValues } from "@csstools/css-parser-algorithms";
import { tokenize } from "@csstools/css-tokenizer";

import { HOST, type Selector, Selectors, type Steps } from "./selectors.ts";
import { type Declaration, type Rule, type Sheet, SheetReader } from "./sheets.ts";
import { attributeOf, type Element, type Tree } from "./tree.ts";
import { expand, type Longhands, SUBSTITUTED } from "./values.ts";

/** The declared values of an element: physical longhands, each with its winning value. */
export type Declared = ReadonlyMap<string, string>;
/** Custom properties, inherited ones too. */
export type Custom = ReadonlyMap<string, string>;

/** A declaration with its place in the cascade. */
interface Ranked {
  readonly declarations: readonly Declaration[];
  readonly selector: Selector;
  /** By importance: layers and specificity count the other way round for important ones. */
  readonly usual: number;
  readonly important: number;
}

const NONE: readonly Ranked[] = [];
/** Characters of all nested selectors of a page, written out with their parents. */
const MOST_NESTED = 2_000_000;
const LONGEST_PARENT = 2000;
const STRONGEST = 1e15;
/** Between two layers. */
const LAYER = 1e12;

/** The rules of one tree: of a page, or of a shadow root in it. */
export class Cascade {
  readonly keyframes: Sheet["keyframes"];
  readonly initial: Custom;
  readonly #byKey = new Map<string, Ranked[]>();
  readonly #selectors: Selectors;
  readonly #reader = new SheetReader();
  #roomForNested = MOST_NESTED;
  #count = 0;
  #hasPainted = false;
  /** The host of the shadow root, as selectors in it see it. */
  readonly host: Element | undefined;

  constructor(
    sheets: readonly string[],
    { isQuirky, hasScripts }: Pick<Tree, "isQuirky" | "hasScripts">,
    steps: Steps,
    host?: Element,
  ) {
    this.#selectors = new Selectors(isQuirky, steps, hasScripts);
    this.host = host && { ...host, tagName: HOST, parentNode: null, childNodes: [] };
    for (const sheet of sheets) this.#reader.read(sheet);
    const { rules, layers, keyframes, initial } = this.#reader.sheet;
    this.keyframes = keyframes;
    this.initial = initial;
    const order = toLayerOrder(layers);
    for (const rule of rules) this.#add(rule, order);
  }

  #add({ selectors, declarations, layer, scope }: Rule, order: ReadonlyMap<string, number>): void {
    const useful = declarations.flatMap(toUseful);
    if (useful.length === 0) return;
    const level = layer === undefined ? order.size : (order.get(layer) ?? 0);
    const nested = this.#nest(selectors);
    const list = scope === undefined ? nested : toScoped(nested, scope);
    for (const selector of this.#selectors.read(list)) {
      this.#count += 1;
      this.#hasPainted ||= selector.target === "pseudo" && declarations.some(isBackground);
      const within = Math.min(selector.weight, 9_999_999) * 100_000 + this.#count;
      const ranked = {
        declarations: useful,
        selector,
        usual: level * LAYER + within,
        important: STRONGEST * 3 - level * LAYER + within,
      };
      const rules = this.#byKey.get(selector.key);
      if (rules) rules.push(ranked);
      else this.#byKey.set(selector.key, [ranked]);
    }
  }

  /** Nested selectors as they would be written outside of their parents. */
  #nest(selectors: readonly string[]): string {
    return selectors.reduce((parent, own) => {
      if (parent === "") return own;
      if (parent.length > LONGEST_PARENT) return ":not(*)";
      const whole = `:is(${parent})`;
      const parts = splitList(own).map((each) =>
        each.includes("&") ? each.replaceAll("&", whole) : `${whole} ${each}`,
      );
      const nested = parts.join();
      this.#roomForNested -= nested.length;
      if (this.#roomForNested < 0) throw new RangeError("The style sheets of the page are too complex");
      return nested;
    }, "");
  }

  /** The declarations of an element: those of its `style` and of all rules that match, weakest first. */
  declarationsOf(element: Element, target: Selector["target"] = "element"): Declaration[] {
    const found = this.#find(target === "host" && this.host ? this.host : element, target);
    const style = target === "element" ? attributeOf(element, "style") : undefined;
    if (found.length === 0 && style === undefined) return [];
    const all: (Declaration & { readonly order: number })[] = [];
    for (const { declarations, usual, important } of found) {
      for (const declaration of declarations)
        all.push({ ...declaration, order: declaration.isImportant ? important : usual });
    }
    for (const declaration of style === undefined ? [] : this.#reader.readStyle(style))
      all.push({ ...declaration, order: declaration.isImportant ? STRONGEST * 4 : STRONGEST });
    return all.length > 1 ? all.toSorted((one, other) => one.order - other.order) : all;
  }

  /** Whether something with a background may be drawn behind the text of an element. */
  isPainted(element: Element): boolean {
    return (
      this.#hasPainted &&
      this.#find(element, "pseudo").some(({ declarations }) => declarations.some(isBackground))
    );
  }

  #find(element: Element, target: Selector["target"]): readonly Ranked[] {
    if (this.#byKey.size === 0) return NONE;
    const found: Ranked[] = [];
    const look = (key: string): void => {
      for (const rule of this.#byKey.get(key.toLowerCase()) ?? NONE)
        if (rule.selector.target === target && rule.selector.matches(element)) found.push(rule);
    };
    look("*");
    look(element.tagName);
    for (const { name, value } of element.attrs) {
      if (name === "id") look(`#${value}`);
      if (name === "class") for (const each of new Set(value.split(/\s+/))) look(`.${each}`);
    }
    return found;
  }
}

/** A list of selectors of `@scope`, for elements in its root and not behind its limit. */
function toScoped(list: string, prelude: string): string {
  const [, root, limit] = /^\(([^]*?)\)(?:\s*to\s*\(([^]*)\))?$/.exec(prelude) ?? [];
  if (root === undefined) return ":not(*)";
  const within = (around: string): string => `:where(${around}, :is(${around}) *)`;
  const end = within(root) + (limit === undefined ? "" : `:not(${within(limit)})`);
  return splitList(list)
    .map((each) => each.replaceAll(/:scope\b|&/gi, `:where(${root})`) + end)
    .join();
}

/** The rank of each layer. Rules that are directly in a layer are stronger than those of the layers in it. */
function toLayerOrder(layers: readonly string[]): ReadonlyMap<string, number> {
  const place = new Map(layers.map((layer, index) => [layer, index]));
  const toPath = (layer: string): readonly number[] => {
    const names = layer.split(".");
    return [...names.map((_, index) => place.get(names.slice(0, index + 1).join(".")) ?? 0), Infinity];
  };
  const sorted = layers
    .map((layer) => ({ layer, path: toPath(layer) }))
    .toSorted(({ path: one }, { path: other }) => {
      const at = one.findIndex((each, index) => each !== other[index]);
      return (one[at] ?? 0) - (other[at] ?? 0);
    });
  return new Map(sorted.map(({ layer }, index) => [layer, index]));
}

const isBackground = ({ name, value }: Declaration): boolean =>
  name.startsWith("background") && !/^(?:none|transparent|initial|unset)$/i.test(value);

/** A declaration, if it can hide text or show it again. */
function toUseful(declaration: Declaration): readonly Declaration[] {
  const { name, value } = declaration;
  if (name.startsWith("--")) return [declaration];
  const isOpen = SUBSTITUTED.test(value);
  const longhands = expand(name, isOpen ? "inherit" : value) ?? [];
  return longhands.length === 0 ? [] : [isOpen ? declaration : { ...declaration, longhands }];
}

/** Splits a list of selectors. */
const splitList = (list: string): readonly string[] =>
  parseCommaSeparatedListOfComponentValues(tokenize({ css: list })).map((values) => values.join("").trim());

const DEEPEST = 16;
const LONGEST_VALUE = 5000;

/** Puts in the values that `var()` stands for. Undefined if there is none. */
function substitute(value: string, custom: Custom, depth = 0): string | undefined {
  const at = /(?<![\w-])(var|env|attr|if)\(/i.exec(value);
  if (!at) return value;
  if (depth > DEEPEST || value.length > LONGEST_VALUE) return undefined;
  const start = at.index;
  const end = findClose(value, start + at[0].length);
  const inner = value.slice(start + at[0].length, end);
  const [, name = "", fallback] = /^\s*([^,]*?)\s*(?:,([^]*))?$/.exec(inner) ?? [];
  // There is no notch on the screen.
  const isSafeArea = /^env\(safe-area-inset-(?:top|right|bottom|left)\b/i.test(value.slice(start));
  const known = isSafeArea ? "0px" : /^var/i.test(at[0]) ? custom.get(name) : undefined;
  const own =
    known === undefined || GUARANTEED_INVALID.test(known) ? undefined : substitute(known, custom, depth + 1);
  const used = own ?? (fallback === undefined ? undefined : substitute(fallback, custom, depth + 1));
  if (used === undefined) return undefined;
  return substitute(`${value.slice(0, start)}${used.trim()}${value.slice(end + 1)}`, custom, depth + 0.05);
}

const GUARANTEED_INVALID = /^initial$/i;

function findClose(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

function toLonghands(name: string, value: string, custom: Custom): Longhands {
  if (!SUBSTITUTED.test(value)) return expand(name, value) ?? [];
  const used = substitute(value, custom);
  // What turns out to be invalid only now no longer falls back to another declaration.
  return (used === undefined ? undefined : expand(name, used.trim())) ?? expand(name, "unset") ?? [];
}

/** The custom properties and the winning values of an element. */
export function resolve(
  declarations: readonly Declaration[],
  inherited: Custom,
): { readonly declared: Map<string, string>; readonly custom: Custom } {
  const own = declarations.filter(({ name }) => name.startsWith("--"));
  let custom = inherited;
  if (own.length > 0) {
    const next = new Map(inherited);
    for (const { name, value } of own) {
      if (/^(?:inherit|unset|revert(?:-layer)?)$/i.test(value)) {
        const around = inherited.get(name);
        if (around !== undefined) next.set(name, around);
      } else next.set(name, value);
    }
    // With the values that they have here: a custom property is inherited as it was computed.
    for (const { name } of own) {
      const value = next.get(name) ?? "";
      if (SUBSTITUTED.test(value)) next.set(name, substitute(value, next) ?? "initial");
    }
    custom = next;
  }
  const declared = new Map<string, string>();
  const goesBack = declarations.some(({ value }) => /revert-layer/i.test(value));
  let level = -1;
  let below: Declared | undefined;
  for (const { name, value, longhands: known, order = 0 } of declarations) {
    if (goesBack && Math.floor(order / LAYER) > level) {
      level = Math.floor(order / LAYER);
      below = new Map(declared);
    }
    if (name.startsWith("--")) continue;
    for (const [longhand, each] of known ?? toLonghands(name, value, custom)) {
      if (longhand === "all") declared.clear();
      else if (/^(?:unset|revert)$/.test(each)) declared.delete(longhand);
      else if (each === "revert-layer") {
        const other = below?.get(longhand);
        if (other === undefined) declared.delete(longhand);
        else declared.set(longhand, other);
      } else declared.set(longhand, each);
    }
  }
  return { declared, custom };
}
