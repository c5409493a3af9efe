import { type Declarations, groundOf, inkOf, isHidingStyle, parseStyle, toBareCss } from "./styles.ts";

/** What is asked of an element, in whichever tree it stands. */
export interface StyledElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent?: StyledElement | null;
}

/** `p.a#b`, and whether it must be the child of what stands before it. */
interface Part {
  readonly type?: string;
  readonly id?: string;
  readonly classes: readonly string[];
  readonly isChild: boolean;
}

export interface Rule {
  readonly parts: readonly Part[];
  readonly style: Declarations;
  /** Its specificity. */
  readonly weight: number;
}

const MOST_RULES = 20_000;
const MOST_PARTS = 8;
/** For whom a page is on a screen, however large. */
const SCREEN = /^\s*(?:only\s+)?(?:all|screen)\s*$/i;

/** The rules of a page's own style sheets that can hide something, by what their last part asks for. */
export function findRules(html: string): ReadonlyMap<string, readonly Rule[]> {
  const found = new Map<string, Rule[]>();
  let count = 0;
  for (const sheet of findSheets(html)) {
    for (const { selectors, style } of readSheet(sheet)) {
      for (const selector of selectors.split(",")) {
        const parts = parseSelector(selector);
        const last = parts?.at(-1);
        if (!parts || !last) continue;
        count += 1;
        if (count > MOST_RULES) throw new RangeError(`The page has more than ${MOST_RULES} style rules`);
        const key = toKey(last);
        const rules = found.get(key);
        const rule = { parts, style, weight: toWeight(parts) };
        if (rules) rules.push(rule);
        else found.set(key, [rule]);
      }
    }
  }
  return found;
}

function toKey({ id, classes: [first], type = "*" }: Part): string {
  if (id !== undefined) return `#${id}`;
  return first === undefined ? type : `.${first}`;
}

function findSheets(html: string): readonly string[] {
  const sheets: string[] = [];
  const open = /<style\b([^>]{0,1000})>/gi;
  const close = /<\/style/gi;
  for (let at = open.exec(html); at; at = open.exec(html)) {
    close.lastIndex = open.lastIndex;
    const end = close.exec(html)?.index ?? html.length;
    const media = /\bmedia\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(at[1] ?? "");
    const wanted = media?.slice(1).find((value) => value !== undefined);
    if (wanted === undefined || isForScreens(wanted)) sheets.push(html.slice(open.lastIndex, end));
    open.lastIndex = end;
  }
  return sheets;
}

const isForScreens = (media: string): boolean => media.split(",").some((each) => SCREEN.test(each));

/** Rules inside `@media` count where they hold on every screen; nested ones do not count. */
function* readSheet(sheet: string): Generator<{ readonly selectors: string; readonly style: Declarations }> {
  const open: { readonly selectors?: string; readonly isUsed: boolean }[] = [];
  for (const [, text = "", brace] of toBareCss(sheet).matchAll(/([^{}]*)([{}]|$)/g)) {
    const around = open.at(-1);
    if (brace === "{") {
      const prelude = text.slice(text.lastIndexOf(";") + 1).trim();
      const isUsed = around === undefined || (around.isUsed && around.selectors === undefined);
      if (!prelude.startsWith("@")) open.push({ selectors: prelude, isUsed });
      else open.push({ isUsed: isUsed && /^@media\b/i.test(prelude) && isForScreens(prelude.slice(6)) });
      continue;
    }
    open.pop();
    if (!around?.isUsed || around.selectors === undefined) continue;
    const style = parseStyle(text);
    if (isHidingStyle(style, "img") || inkOf(style) || groundOf(style))
      yield { selectors: around.selectors, style };
  }
}

/** Compounds of types, classes and ids, below or inside each other; no other selector is understood. */
function parseSelector(selector: string): readonly Part[] | undefined {
  const tokens = selector
    .trim()
    .toLowerCase()
    .replace(/^:root\b/, "html")
    .replaceAll(/\s*>\s*/g, " >")
    .split(/\s+/);
  if (tokens.length > MOST_PARTS) return undefined;
  const parts: Part[] = [];
  for (const token of tokens) {
    const [, child, type, rest = ""] =
      /^(>?)([^\s.#>+~:[\]()*&]+|\*)?((?:[.#][^\s.#>+~:[\]()*&]+)*)$/.exec(token) ?? [];
    if (child === undefined || (type === undefined && rest === "")) return undefined;
    const names = rest.match(/[.#][^.#]+/g) ?? [];
    const id = names.find((name) => name.startsWith("#"))?.slice(1);
    parts.push({
      isChild: child !== "",
      ...(type !== undefined && type !== "*" && { type }),
      ...(id !== undefined && { id }),
      classes: names.filter((name) => name.startsWith(".")).map((name) => name.slice(1)),
    });
  }
  return parts;
}

const toWeight = (parts: readonly Part[]): number =>
  parts.reduce(
    (sum, { type, id, classes }) => sum + (id ? 10_000 : 0) + classes.length * 100 + (type ? 1 : 0),
    0,
  );

/** Without regard to case, as in pages that declare no document type. Each look at an element is a step. */
export function matches(
  element: StyledElement,
  parts: readonly Part[],
  steps: { left: number },
  at = parts.length - 1,
): boolean {
  steps.left -= 1;
  if (steps.left < 0) throw new RangeError("The style sheets of the page are too complex");
  const part = parts[at];
  if (!part || !isPart(element, part)) return false;
  if (at === 0) return true;
  for (let up = element.parent; up; up = up.parent) {
    if (matches(up, parts, steps, at - 1)) return true;
    if (part.isChild) return false;
  }
  // The outermost elements need not be written.
  const above = parts[at - 1];
  return at === 1 && above?.id === undefined && /^(?:html|body)$/.test(above?.type ?? "");
}

function isPart({ name, attributes }: StyledElement, { type, id, classes }: Part): boolean {
  if (type !== undefined && type !== name) return false;
  if (id !== undefined && attributes["id"]?.toLowerCase() !== id) return false;
  if (classes.length === 0) return true;
  const own = classesOf(attributes);
  return classes.every((each) => own.includes(each));
}

/** An element is asked by many rules, and an ancestor for all its descendants. */
const known = new WeakMap<StyledElement["attributes"], readonly string[]>();

function classesOf(attributes: StyledElement["attributes"]): readonly string[] {
  let classes = known.get(attributes);
  if (!classes) {
    classes = attributes["class"]?.toLowerCase().split(/\s+/) ?? [];
    known.set(attributes, classes);
  }
  return classes;
}
