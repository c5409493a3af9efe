import { Cascade, resolve } from "./cascade.ts";
import { holdsOnScreen, isSupported } from "./conditions.ts";
import type { Steps } from "./selectors.ts";
import type { Declaration } from "./sheets.ts";
import { type Box, isGone, isLegible, type Style, toPageStyle, toStyle } from "./style.ts";
import {
  attributeOf,
  type Element,
  isCustom,
  isElement,
  isText,
  type Node,
  textOf,
  type Tree,
} from "./tree.ts";
import { split } from "./values.ts";

/** What is left of a page when all that nobody sees has been taken out of its tree. */
export interface Cleaned {
  readonly main: Element | undefined;
  /** Length of the visible text, on the whole page and in its main part. */
  readonly textLength: number;
  readonly mainLength: number;
  /** How many hidden elements were left out, and the length of their text. */
  readonly hidden: number;
  readonly hiddenLength: number;
  /** How many texts were left in although something may hide them. */
  readonly undecided: number;
}

/** Elements whose text is never visible. */
const NEVER_SHOWN = new Set(
  "template noscript object embed canvas video audio noembed noframes rp datalist head meter mphantom progress".split(
    " ",
  ),
);
const KEPT = new Set(["script", "style"]);
/** Of SVG, with those whose own text is shown, and attributes that count like styles. */
const SVG_SHOWN = new Set("a foreignObject g svg switch text textPath tspan".split(" "));
const SVG_TEXT = new Set("a text textPath tspan".split(" "));
const SVG_STYLES = /^(?:display|fill|font-size|height|opacity|visibility|width)$/;
const INLINE =
  /^(?:a|abbr|acronym|b|bdi|bdo|big|br|cite|code|del|dfn|em|font|i|img|input|ins|kbd|label|mark|nobr|q|rb|rt|ruby|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr|slot)$/;

/** Classes that common style sheets hide from everyone but screen readers. */
const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text)(?:\s|$)/;
/** `d-none d-md-block` hides only on small screens. The class for the largest width decides. */
const DISPLAY_CLASS =
  /(?<!\S)d-(?:(sm|md|lg|xl)-)?(none|(?:inline-)?(?:block|flex|grid)|inline|table(?:-cell|-row)?)(?!\S)/g;
const WIDTHS = [undefined, "sm", "md", "lg", "xl"];
const MOST_STEPS = 50_000_000;

/** The styles that apply to a part of the tree, and what fills the slots in it. */
interface Scope {
  readonly cascade: Cascade;
  readonly slots?: ReadonlyMap<string, Node[]>;
  readonly around?: Scope;
}

interface Part {
  readonly element: Element;
  readonly length: number;
  readonly isMain: boolean;
}

/** Takes out of a tree what nobody sees. */
export function clean(tree: Tree): Cleaned {
  return new Cleaner(tree).run();
}

class Cleaner {
  readonly #tree: Tree;
  readonly #steps: Steps = { left: MOST_STEPS };
  readonly #isStyledElsewhere: boolean;
  /** Applied at the end: what comes later may be selected by what came before. */
  readonly #left: (readonly [Element, Node[]])[] = [];
  readonly #counts = { textLength: 0, hidden: 0, hiddenLength: 0, undecided: 0 };
  readonly #legible = new WeakMap<Style, boolean | "unknown">();
  readonly #plain = new WeakMap<Style, Map<string, Style>>();
  /** What is marked as the main part, and articles that are in no other, in the order in which they end. */
  readonly #parts: Part[] = [];
  #isInArticle = false;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#isStyledElsewhere = tree.landmarks.some(isExternal);
  }

  run(): Cleaned {
    const { root, landmarks } = this.#tree;
    const cascade = this.#toCascade(landmarks);
    const page = { ...toPageStyle(this.#isStyledElsewhere), custom: cascade.initial };
    for (const node of root.childNodes) if (isElement(node)) this.#visit(node, page, { cascade });
    for (const [element, children] of this.#left) {
      element.childNodes = children;
      for (const child of children) child.parentNode = element;
    }
    const main = this.#findMain();
    return { main: main?.element, mainLength: main?.length ?? 0, ...this.#counts };
  }

  /** Where none is marked, an article is the main part if it is alone, or much longer than all the others. */
  #findMain(): Part | undefined {
    const marked = this.#parts.find(({ isMain }) => isMain);
    const [longest] = this.#parts.toSorted((one, other) => other.length - one.length);
    const all = this.#parts.reduce((sum, { length }) => sum + length, 0);
    return marked ?? (longest && 3 * longest.length > 2 * all ? longest : undefined);
  }

  #toCascade(elements: readonly Element[], host?: Element): Cascade {
    return new Cascade(elements.flatMap(toSheets), this.#tree, this.#steps, host);
  }

  /** Whether anything of the element is left. */
  #visit(element: Element, around: Style, scope: Scope, slotted: readonly Declaration[] = []): boolean {
    const { tagName: name } = element;
    if (KEPT.has(name)) return true;
    if (name === "head") return true;
    const isDrawn = isSvg(element);
    if (NEVER_SHOWN.has(name) || (isDrawn && !SVG_SHOWN.has(name))) return false;
    const shadow = this.#tree.hasShadows ? this.#findShadow(element, scope) : undefined;
    const host = shadow ? shadow.cascade.declarationsOf(element, "host") : [];
    const declarations = [...host, ...slotted, ...scope.cascade.declarationsOf(element)];
    if (isDrawn) declarations.unshift(...toSvgStyles(element));
    const style = this.#toStyle(element, declarations, around, scope);
    if (style === undefined || isHiddenByClass(element)) return this.#leaveOut(element);
    const { hidden, textLength } = this.#counts;
    const isMain = name === "main" || attributeOf(element, "role") === "main";
    const isArticle = name === "article" && !this.#isInArticle;
    this.#isInArticle ||= isArticle;
    const nodes = shadow ? shadow.nodes : this.#fill(element, scope);
    const children = isDrawn
      ? // How a picture places its words is not looked at.
        this.#visitAll(
          nodes.filter((node) => SVG_TEXT.has(name) || isElement(node as Node)),
          toUnsure(style),
          scope,
        )
      : this.#visitAll(nodes, style, shadow ?? scope);
    if (isArticle) this.#isInArticle = false;
    if (isMain || isArticle)
      this.#parts.push({ element, isMain, length: this.#counts.textLength - textLength });
    this.#left.push([element, children]);
    // A link that only something hidden was in, and a picture without words.
    return (
      !(isDrawn || (name === "a" && hidden < this.#counts.hidden)) ||
      children.some((node) => (isText(node) ? /\S/.test(node.value) : !isDrawn || !KEPT.has(node.nodeName)))
    );
  }

  #visitAll(nodes: readonly (readonly [Node, Scope] | Node)[], around: Style, scope: Scope): Node[] {
    const left: Node[] = [];
    let style = around;
    let legible: boolean | "unknown" | undefined;
    for (const given of nodes) {
      const [node, own] = Array.isArray(given) ? (given as readonly [Node, Scope]) : [given as Node, scope];
      if (isElement(node)) {
        const slotted = own === scope ? [] : scope.cascade.declarationsOf(node, "slotted");
        if (this.#visit(node, style, own, slotted)) left.push(node);
        // Which cells are in its columns is not counted.
        if (node.tagName === "colgroup" && this.#collapses(node, own)) style = toUnsure(around);
      } else if (isText(node)) {
        const { length } = node.value.trim();
        legible ??= length === 0 ? undefined : this.#isLegible(style);
        if (length === 0 || legible !== false) {
          this.#counts.textLength += length;
          if (length > 0 && legible === "unknown") this.#counts.undecided += 1;
          left.push(node);
        } else {
          this.#counts.hidden += 1;
          this.#counts.hiddenLength += length;
        }
      }
    }
    return left;
  }

  #collapses(columns: Element, { cascade }: Scope): boolean {
    return [columns, ...columns.childNodes.filter(isElement)].some((element) =>
      cascade.declarationsOf(element).some(({ value }) => /^collapse$/i.test(value)),
    );
  }

  /** Most texts share their style with others. */
  #isLegible(style: Style): boolean | "unknown" {
    const known = this.#legible.get(style);
    if (known !== undefined) return known;
    const legible = isLegible(style) ?? "unknown";
    this.#legible.set(style, legible);
    return legible;
  }

  /** The style of an element without any declarations. */
  #toPlainStyle(around: Style, box: Box): Style {
    if (!box.color && !box.background && !around.hasEmptyRows) return around;
    const key = `${box.color} ${box.background}`;
    const styles = this.#plain.get(around) ?? new Map<string, Style>();
    const style = styles.get(key) ?? toStyle(new Map(), around.custom, around, box);
    this.#plain.set(around, styles.set(key, style));
    return style;
  }

  #leaveOut(element: Element): boolean {
    const length = textOf(element).trim().length;
    this.#counts.hiddenLength += length;
    if (length > 0 || /^(?:img|iframe|input)$/.test(element.tagName)) this.#counts.hidden += 1;
    // A cell that still takes its place in the row.
    const isNone =
      element.display === undefined
        ? isHiddenByDefault(element) || hasNoDisplay(element)
        : element.display === "none";
    const keepsPlace = /^t[dh]$/.test(element.tagName) && !isNone;
    if (keepsPlace) this.#left.push([element, []]);
    return keepsPlace;
  }

  /** Undefined if the element is hidden with everything in it. */
  #toStyle(
    element: Element,
    declarations: readonly Declaration[],
    around: Style,
    { cascade }: Scope,
  ): Style | undefined {
    const box = toBox(element);
    const isPage = box.name === "html" || box.name === "body";
    if (declarations.length === 0)
      return !isPage && isHiddenByDefault(element) ? undefined : this.#toPlainStyle(around, box);
    const { declared, custom } = resolve(declarations, around.custom);
    const isPainted = cascade.isPainted(element);
    const isAnimated =
      (declared.has("animation") || declared.has("animation-name")) && this.#animate(declared, cascade);
    element.display = declared.get("display")?.toLowerCase() ?? "";
    if (!isPage && (isGone(declared, box) || (element.display === "" && isHiddenByDefault(element))))
      return undefined;
    if (element.display === "") delete element.display;
    const style = toStyle(declared, custom, around, box);
    const own = isPainted ? { ...style, isBackgroundCertain: false } : style;
    return isAnimated && own.opacity < around.opacity
      ? { ...own, opacity: around.opacity, isUndecided: true }
      : own;
  }

  /** Puts in the values that an animation stays at. Otherwise says whether it may show what is hidden. */
  #animate(declared: Map<string, string>, cascade: Cascade): boolean {
    const words = split(
      [...declared].map(([name, value]) => (name.startsWith("animation") ? value : "")).join(" "),
      ",",
    );
    const frames = words.flatMap((word) => cascade.keyframes.get(word) ?? []);
    if (frames.length === 0)
      return this.#isStyledElsewhere && words.some((word) => !/^(?:none|,|inherit|initial|0s?)$/.test(word));
    const at = (edge: RegExp): ReadonlyMap<string, string> =>
      resolve(
        frames.flatMap(({ selectors, declarations }) =>
          edge.test(selectors.at(-1) ?? "") ? declarations : [],
        ),
        new Map(),
      ).declared;
    const [start, end] = [at(/(?:^|,)\s*(?:from|0%)\s*(?:,|$)/i), at(/(?:^|,)\s*(?:to|100%)\s*(?:,|$)/i)];
    const isPaused = words.includes("paused");
    const isLasting = words.some((word) => /^(?:forwards|both)$/i.test(word)) && !words.includes("infinite");
    const isStill = frames.every(({ selectors }) =>
      /^(?:(?:from|to|0%|100%)[,\s]*)+$/i.test(selectors.at(-1) ?? ""),
    );
    const isSame =
      words.includes("infinite") && isStill && [...end].every(([name, value]) => start.get(name) === value);
    if (!isPaused && !isLasting && !isSame) return true;
    for (const [name, value] of isPaused ? start : end) declared.set(name, value);
    return false;
  }

  /** The nodes in an element; in a slot, what fills it. */
  #fill(element: Element, scope: Scope): readonly (readonly [Node, Scope] | Node)[] {
    const { around, slots } = scope;
    // For browsers that have no frames.
    if (element.tagName === "iframe") return [];
    if (element.tagName !== "slot" || slots === undefined || around === undefined) return element.childNodes;
    const given = slots.get(attributeOf(element, "name") ?? "");
    return given === undefined ? element.childNodes : given.map((node) => [node, around] as const);
  }

  #findShadow(host: Element, around: Scope): (Scope & { readonly nodes: readonly Node[] }) | undefined {
    const template = host.childNodes.find(
      (node) =>
        isElement(node) &&
        node.tagName === "template" &&
        /^(?:open|closed)$/i.test(attributeOf(node, "shadowrootmode") ?? ""),
    ) as Element | undefined;
    const nodes = template?.content?.childNodes;
    if (nodes === undefined) return undefined;
    const slots = new Map<string, Node[]>();
    for (const node of host.childNodes) {
      if (node === template || (!isElement(node) && !isText(node))) continue;
      const name = (isElement(node) ? attributeOf(node, "slot") : undefined) ?? "";
      slots.set(name, [...(slots.get(name) ?? []), node]);
    }
    const cascade = this.#toCascade(nodes.flatMap(findStyles), host);
    for (const node of nodes) node.parentNode = cascade.host as never;
    if (cascade.host) cascade.host.childNodes = nodes;
    return { cascade, slots, around, nodes };
  }
}

const findStyles = (node: Node): readonly Element[] =>
  !isElement(node) ? [] : node.tagName === "style" ? [node] : node.childNodes.flatMap(findStyles);

const isExternal = (element: Element): boolean => {
  if (element.tagName === "noscript") return /<link\b[^<>]{0,500}\bstylesheet\b/i.test(textOf(element));
  if (element.tagName === "style") return /@import\s+(?:url\(\s*)?["']?(?!data:)/i.test(textOf(element));
  if (element.tagName !== "link") return false;
  const rel = attributeOf(element, "rel") ?? "";
  return /\bstylesheet\b/i.test(rel) && !/^\s*data:/i.test(attributeOf(element, "href") ?? "data:");
};

const IMPORT = /@import\s+(?:url\(\s*)?(?:"(data:[^"]*)"|'(data:[^']*)'|(data:[^)\s]*))\s*\)?\s*([^;]*)/gi;

/** The style sheets that an element holds or refers to by a `data:` address. */
function toSheets(element: Element): readonly string[] {
  const get = (name: string): string => attributeOf(element, name) ?? "";
  if (!holdsOnScreen(get("media")) || !/^\s*(?:text\/css\s*)?$/i.test(get("type"))) return [];
  if (element.tagName === "style") {
    const css = textOf(element);
    const imports = Array.from(css.matchAll(IMPORT), ([, double, single, bare, condition = ""]) =>
      isImported(condition) ? readData(double ?? single ?? bare ?? "") : "",
    );
    return [...imports, css];
  }
  const rel = get("rel").toLowerCase().split(/\s+/);
  const isUsed = rel.includes("stylesheet") && !rel.includes("alternate");
  return isUsed && attributeOf(element, "disabled") === undefined ? [readData(get("href").trim())] : [];
}

function isImported(condition: string): boolean {
  const [, inner, media = ""] =
    /^(?:layer\b(?:\([^)]*\))?\s*)?(?:supports(\((?:[^()]|\([^()]*\))*\))\s*)?([^]*)$/i.exec(condition) ?? [];
  return (
    (inner === undefined || isSupported(/^\(\s*[(n]/i.test(inner) ? inner.slice(1, -1) : inner)) &&
    holdsOnScreen(media)
  );
}

function readData(url: string): string {
  const [, kind = "", data = ""] = /^data:text\/css((?:;[^,]*)?),([^]*)$/i.exec(url) ?? [];
  try {
    return /;base64$/i.test(kind)
      ? Buffer.from(decodeURIComponent(data), "base64").toString()
      : decodeURIComponent(data);
  } catch {
    return data;
  }
}

function isHiddenByDefault(element: Element): boolean {
  const { tagName: name, attrs } = element;
  if (attrs.length === 0) return name === "dialog";
  if (name === "dialog") return attributeOf(element, "open") === undefined;
  if (name === "input") return /^hidden$/i.test(attributeOf(element, "type") ?? "");
  const hidden = attributeOf(element, "hidden");
  return (
    (hidden !== undefined && !/^until-found$/i.test(hidden)) || attributeOf(element, "popover") !== undefined
  );
}

function isHiddenByClass(element: Element): boolean {
  const { tagName: name, attrs } = element;
  if (attrs.length === 0 || name === "html" || name === "body") return false;
  if (
    /^(?:img|iframe)$/.test(name) &&
    (isDot(attributeOf(element, "width")) || isDot(attributeOf(element, "height")))
  )
    return true;
  return (
    HIDING_CLASS.test(attributeOf(element, "class") ?? "") ||
    (element.display === undefined && hasNoDisplay(element))
  );
}

const toUnsure = (style: Style): Style => ({ ...style, isUndecided: true });

const isSvg = ({ namespaceURI }: Element): boolean => namespaceURI.endsWith("/svg");

function toSvgStyles({ tagName, attrs }: Element): readonly Declaration[] {
  const styles = attrs.filter(({ name }) => SVG_STYLES.test(name));
  if (tagName === "svg") styles.unshift({ name: "overflow", value: "hidden" });
  return styles.map(({ name, value }) => ({
    name: name === "fill" ? "-webkit-text-fill-color" : name,
    value,
    isImportant: false,
  }));
}

const isDot = (size: string | undefined): boolean => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);

function hasNoDisplay(element: Element): boolean {
  const classes = attributeOf(element, "class") ?? "";
  if (!classes.includes("d-")) return false;
  const found = new Map(
    Array.from(classes.matchAll(DISPLAY_CLASS), ([, width, display]) => [width, display]),
  );
  return found.get(WIDTHS.findLast((width) => found.has(width))) === "none";
}

const CONTROLS = /^(?:button|input|option|select|textarea)$/;

/** What browsers know of an element without a style. */
function toBox(element: Element): Box {
  const { tagName: name, attrs } = element;
  const isInline = INLINE.test(name) || isCustom(name);
  if (name === "mark") return { name, isInline, color: "#000", background: "#ff0" };
  if (CONTROLS.test(name)) return { name, isInline: false, color: "#000", background: "#efefef" };
  if (attrs.length === 0) return { name, isInline };
  const color = attributeOf(element, name === "body" ? "text" : "color");
  const image = attributeOf(element, "background");
  const background = image === undefined ? attributeOf(element, "bgcolor") : "unknown";
  if (name === "a" && attributeOf(element, "href") !== undefined)
    return { name, isInline, color: "#00e", background };
  return { name, isInline, color: name === "font" || name === "body" ? color : undefined, background };
}
