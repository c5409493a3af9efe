import { randomUUID } from "node:crypto";

import { htmlToMarkdown, type ElementNode, type TextNode, type TransformPlugin } from "@mdream/js";

import { CodeLines } from "./code-lines.ts";
import { decodeEntities, withoutComments } from "./entities.ts";
import { HiddenElements, NEVER_SHOWN } from "./hidden.ts";
import { HeadReader, type PageFacts, tidy, toAbsolute } from "./page-facts.ts";
import { type Conversion, TableRows } from "./tables.ts";

export interface PageLink {
  readonly url: string;
  readonly text: string;
}

export interface Converted {
  readonly markdown: string;
  readonly facts: PageFacts;
  readonly links: readonly PageLink[];
  /** Of what is shown, on the whole page and in its main part. */
  readonly textLength: number;
  readonly mainLength: number;
  readonly headings: number;
  readonly mainHeadings: number;
  readonly nodes: number;
  readonly depth: number;
  readonly scripts: number;
  /** How many elements were left out because nobody sees them, and how much text with them. */
  readonly hidden: number;
  readonly hiddenLength: number;
  /** Where the line begins that the anchor is in. */
  readonly anchorAt?: number;
}

export interface ConvertOptions {
  readonly url: string;
  /** Only what the page marks as its main part. */
  readonly onlyMain?: boolean;
  readonly collectLinks?: boolean;
  /** The name of a place in the page that somebody wants to find. */
  readonly anchor?: string | undefined;
}

const MOST_NODES = 400_000;
const MOST_LINKS = 20_000;
/** Goes before the description of an image, to find images again: no page means anything by this character. */
const IMAGE_MARK = "\uE000";

/** As minifiers write it. The conversion would take it for an element without text. */
const LINK_TO_ROOT = /(<a\s[^<>]{0,1000}?href=)\/>/gi;

/** Converts a page to Markdown: what a reader would see of it, with links that work anywhere. */
export function convertHtml(
  html: string,
  { url, onlyMain = false, collectLinks = false, anchor }: ConvertOptions,
): Converted {
  // Goes before the first text of what has the anchor; no page can know it.
  const anchorMark = randomUUID();
  const base = findBase(html, url);
  const look = new HiddenElements(html);
  const walk = new Walk({ url, base, onlyMain, collectLinks, look, anchor, anchorMark });
  const markdown = htmlToMarkdown(html.replaceAll(LINK_TO_ROOT, '$1"/">'), {
    origin: base,
    hooks: [walk.plugin],
    clean: { blankLines: true },
    // They would come out as HTML otherwise.
    plugins: { tagOverrides: { dl: "div", dt: "p", dd: "p", details: "div", summary: "p", template: "div" } },
  })
    .replaceAll(`![${IMAGE_MARK}`, "[Image: ")
    .replaceAll("[Image: ]", "[Image]")
    // None inside another, which would be looked for at each beginning.
    .replaceAll(/(\[Image(?:: [^[\]\n]*)?\])\(\)/g, "$1")
    .replaceAll(IMAGE_MARK, "")
    .trim();
  return { ...withoutMark(markdown, anchorMark), ...walk.toResult() };
}

function withoutMark(marked: string, mark: string): Pick<Converted, "markdown" | "anchorAt"> {
  const at = marked.indexOf(mark);
  const markdown = marked.replaceAll(mark, "");
  return at < 0 ? { markdown } : { markdown, anchorAt: marked.lastIndexOf("\n", at) + 1 };
}

function findBase(html: string, url: string): string {
  const start = withoutComments(html.slice(0, 100_000));
  const href = /<base\b[^>]{0,500}?\bhref\s*=\s*["']?([^"'\s>]{1,2000})/i.exec(start)?.[1];
  try {
    const base = new URL(href ?? url, url);
    return base.protocol === "http:" || base.protocol === "https:" ? base.href : url;
  } catch {
    return url;
  }
}

const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
/** What generators of documentation put behind a heading, to be linked to. */
const PERMALINK = /^\s*[#¶§🔗]\s*$/u;
/** What has its own marks in Markdown, also in code. */
const MARKED_CODE = new Set(["pre", "code", "li", "tr"]);
const SKIP = { skip: true };

/** Where the page itself sets its main part apart. */
const MAIN = (name: string, attributes: Readonly<Record<string, string>>): boolean =>
  name === "main" || attributes["role"] === "main";

interface WalkOptions extends Required<ConvertOptions> {
  readonly base: string;
  readonly look: HiddenElements;
  readonly anchorMark: string;
}

/** What is learned of a page, and left out of it, while it is converted. */
class Walk {
  readonly #options: WalkOptions;
  readonly #links: { url: string; text: string }[] = [];
  readonly #head = new HeadReader();
  readonly #rows = new TableRows();
  readonly #lines = new CodeLines();
  /** The outermost element of what is left out, and of the main part, while the walk is inside. */
  #cut: ElementNode | undefined;
  #main: ElementNode | undefined;
  #heading: ElementNode | undefined;
  /** Links and headings that the walk is inside, and where they begin. */
  readonly #open: { readonly element: ElementNode; readonly start: number; readonly shown: number }[] = [];
  /** How many texts and images were written. */
  #shown = 0;
  #anchor: { url: string; text: string } | undefined;
  #title: string | undefined;
  #isInTitle = false;
  #textLength = 0;
  #mainLength = 0;
  #headings = 0;
  #mainHeadings = 0;
  #nodes = 0;
  #depth = 0;
  #scripts = 0;
  #hidden = 0;
  #hiddenLength = 0;
  /** The anchor that is looked for, and whether its text comes next. */
  #anchorName: string | undefined;
  #isAtAnchor = false;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#anchorName = options.anchor;
  }

  readonly plugin: TransformPlugin = {
    processAttributes: (element) => {
      const { name } = element;
      if (name !== "a" && name !== "img") return;
      const { attributes } = element;
      // Nobody sees it without pointing there.
      delete attributes["title"];
      if (name === "a") {
        const href = attributes["href"];
        // A heading's link to itself says nothing.
        const isOwn = this.#heading !== undefined && href?.startsWith("#") === true;
        if (isOwn) delete attributes["href"];
        else this.#tidyUrl(attributes, "href");
        return;
      }
      // Elements without attributes share an object that cannot be written to.
      const alt = IMAGE_MARK + (attributes["alt"] ?? "");
      element.attributes = { ...attributes, alt, src: toSource(attributes) ?? "" };
      this.#tidyUrl(element.attributes, "src");
    },
    beforeNodeProcess: ({ node, type }, state) => {
      const isEnter = type === 0;
      if (node.type === 1)
        return isEnter ? this.#enter(node as ElementNode, state) : this.#exit(node as ElementNode, state);
      return isEnter ? this.#read(node as TextNode, state) : undefined;
    },
  };

  #tidyUrl(attributes: Record<string, string>, name: string): void {
    const url = attributes[name];
    if (!isHarmless(url)) delete attributes[name];
    // What the conversion would put behind the base as it is.
    else if (url !== undefined && /[\0-\x20\\]/.test(url))
      attributes[name] = toAbsolute(url, this.#options.base) ?? url;
  }

  #enter(element: ElementNode, state: Conversion): { skip: boolean } | undefined {
    this.#nodes += 1;
    if (this.#nodes > MOST_NODES) throw new RangeError(`The page has more than ${MOST_NODES} elements`);
    if (element.depth > this.#depth) this.#depth = element.depth;
    const { name, attributes, parent } = element;
    splitNames(attributes);
    if (name === "script") this.#scripts += 1;
    else if (name === "meta" || name === "link" || name === "html") this.#head.read(name, attributes);
    else if (name === "title") this.#isInTitle = this.#title === undefined;
    if (this.#cut !== undefined) return SKIP;
    if (this.#options.look.has(element)) {
      if (name !== "script" && name !== "style") this.#hidden += 1;
      this.#cut = element;
      if (!this.#keepsPlace(element)) return SKIP;
      this.#rows.enter(element, state);
      return undefined;
    }
    if (this.#main === undefined && MAIN(name, attributes)) this.#main = element;
    const isMain = this.#main !== undefined;
    if (HEADINGS.has(name)) {
      this.#heading ??= element;
      this.#headings += 1;
      if (isMain) this.#mainHeadings += 1;
    }
    if (name === "a" && this.#options.collectLinks && (isMain || !this.#options.onlyMain))
      this.#openLink(attributes["href"]);
    if (this.#options.onlyMain && !isMain && !isAncestor(name)) return SKIP;
    if (this.#anchorName !== undefined && isNamed(element, this.#anchorName)) {
      this.#anchorName = undefined;
      this.#isAtAnchor = true;
    }
    if (name === "input" && attributes["type"] === "checkbox" && parent?.name === "li")
      state.buffer.push("checked" in attributes ? "[x] " : "[ ] ");
    // Those after it go on counting from there.
    if (name === "li" && parent && /^\d{1,9}$/.test(attributes["value"] ?? ""))
      parent.attributes = { ...parent.attributes, start: `${Number(attributes["value"]) - element.index}` };
    if (name === "img") this.#shown += 1;
    else if (HEADINGS.has(name) || (name === "a" && "href" in attributes && !this.#lines.isInside))
      this.#open.push({ element, start: state.buffer.length, shown: this.#shown });
    this.#rows.enter(element, state);
    const isLine = this.#isLine(element);
    this.#lines.enter(element, isLine);
    return isLine ? SKIP : undefined;
  }

  #exit(element: ElementNode, state: Conversion): { skip: boolean } | undefined {
    if (element.name === "title") this.#isInTitle = false;
    if (this.#cut !== undefined) {
      if (this.#cut !== element) return SKIP;
      this.#cut = undefined;
      return this.#keepsPlace(element) ? undefined : SKIP;
    }
    const isMain = this.#main !== undefined;
    if (this.#main === element) this.#main = undefined;
    if (this.#heading === element) this.#heading = undefined;
    const isEmpty = this.#dropEmpty(element, state);
    if (element.name === "a") {
      if (isEmpty && !this.#options.look.isLegibleIn(element) && this.#anchor) this.#links.pop();
      this.#anchor = undefined;
    }
    this.#rows.exit(element);
    const isLine = this.#isLine(element);
    this.#lines.exit(element, isLine);
    if (isEmpty || isLine) return SKIP;
    return this.#options.onlyMain && !isMain && !isAncestor(element.name) ? SKIP : undefined;
  }

  /** No address and no sign of a heading is left of what has nothing in it that can be seen. */
  #dropEmpty(element: ElementNode, state: Conversion): boolean {
    const open = this.#open.at(-1);
    if (open?.element !== element) return false;
    this.#open.pop();
    if (open.shown < this.#shown) return false;
    state.buffer.length = open.start;
    return true;
  }

  #read(node: TextNode, state: Conversion): { skip: boolean } | undefined {
    const { value, parent } = node;
    if (this.#isInTitle) {
      this.#title = ((this.#title ?? "") + value).slice(0, 1000);
      return SKIP;
    }
    const length = value.trim().length;
    if (this.#cut && !NEVER_SHOWN.has(this.#cut.name)) this.#hiddenLength += length;
    if (this.#cut !== undefined || (this.#heading !== undefined && PERMALINK.test(value))) return SKIP;
    if (length > 0 && parent && !this.#options.look.isLegibleIn(parent)) {
      this.#hidden += 1;
      this.#hiddenLength += length;
      return SKIP;
    }
    this.#textLength += length;
    const isMain = this.#main !== undefined;
    if (isMain) this.#mainLength += length;
    if (this.#anchor && this.#anchor.text.length < 300) this.#anchor.text += value;
    if (this.#options.onlyMain && !isMain) return SKIP;
    if (length > 0) this.#shown += 1;
    if (this.#lines.isInside) {
      // The conversion would trim it.
      node.containsWhitespace = false;
      const { rest, breaks } = this.#lines.read(value);
      if (rest === "") return SKIP;
      if (breaks > 0) state.buffer.push((this.#rows.isInside ? "<br>" : "\n").repeat(breaks));
      node.value = rest;
    }
    if (this.#isAtAnchor && length > 0) {
      node.value = node.value.replace(/\S/, `${this.#options.anchorMark}$&`);
      this.#isAtAnchor = false;
    }
    return undefined;
  }

  /** Of a cell that cannot be seen, so that those behind it stay in their columns. */
  #keepsPlace(element: ElementNode): boolean {
    const isRead = !this.#options.onlyMain || this.#main !== undefined;
    return isRead && this.#options.look.keepsPlace(element);
  }

  #isLine(element: ElementNode): boolean {
    if (!this.#lines.isInside || MARKED_CODE.has(element.name)) return false;
    return element.name === "br" || this.#options.look.isBlock(element);
  }

  #openLink(href: string | undefined): void {
    if (href === undefined || href.startsWith("#") || this.#links.length >= MOST_LINKS) return;
    this.#anchor = { url: href, text: "" };
    this.#links.push(this.#anchor);
  }

  toResult(): Omit<Converted, "markdown"> {
    return {
      facts: this.#head.toFacts(this.#title, this.#options.url, this.#options.base),
      links: this.#links.flatMap(({ url, text }) => {
        const absolute = toAbsolute(decodeEntities(url), this.#options.base);
        return absolute === undefined ? [] : [{ url: absolute, text: tidy(text) }];
      }),
      textLength: this.#textLength,
      mainLength: this.#mainLength,
      headings: this.#headings,
      mainHeadings: this.#mainHeadings,
      nodes: this.#nodes,
      depth: this.#depth,
      scripts: this.#scripts,
      hidden: this.#hidden,
      hiddenLength: this.#hiddenLength,
    };
  }
}

/** What may stand around the main part: it is walked through, and prints nothing itself. */
const isAncestor = (name: string): boolean => name === "html" || name === "body";

/** A slash stands between attributes like a space, but the parser keeps it in their names. */
function splitNames(attributes: Record<string, string>): void {
  for (const name in attributes) {
    if (!name.includes("/")) continue;
    const parts = name.split("/");
    const last = parts.pop() ?? "";
    for (const part of parts) attributes[part] ??= "";
    attributes[last] ??= attributes[name] ?? "";
  }
}

/** Whether it is the place in a page that has this name. */
const isNamed = ({ name, attributes: { id, name: own } }: ElementNode, wanted: string): boolean =>
  (id !== undefined && decodeEntities(id) === wanted) ||
  (name === "a" && own !== undefined && decodeEntities(own) === wanted);

/** Without controls and spaces, which browsers ignore in a scheme, it is relative or one that runs nothing. */
function isHarmless(url: string | undefined): boolean {
  // No colon, and no entity that could be one: there is no scheme.
  if (url === undefined || !/[:&]/.test(url)) return true;
  const bare = decodeEntities(url).replaceAll(/[\0-\x20]/g, "");
  return !/^[a-z][a-z\d+.-]*:/i.test(bare) || /^(?:https?|mailto|tel|ftp):/i.test(bare);
}

/** Where an image is: before its scripts have run, a page may have only a placeholder in its place. */
function toSource({ src, srcset = "", ...rest }: Readonly<Record<string, string>>): string | undefined {
  if (src && !src.startsWith("data:")) return src;
  return rest["data-src"] ?? rest["data-lazy-src"] ?? /^\s*(\S+?),?(?:\s|$)/.exec(srcset)?.[1] ?? src;
}
