import type { ElementNode, TextNode, TransformPlugin } from "@mdream/js";

import { CodeLines } from "./code-lines.ts";
import { decodeEntities } from "./entities.ts";
import { type HiddenElements, NEVER_SHOWN } from "./hidden.ts";
import { HeadReader, isHarmless, type PageFacts, type PageLink, tidy, toAbsolute } from "./page-facts.ts";
import { type Conversion, TableRows } from "./tables.ts";

export interface Converted {
  readonly markdown: string;
  readonly facts: PageFacts;
  readonly links: readonly PageLink[];
  /** Length of the visible text, on the whole page and in its main part. */
  readonly textLength: number;
  readonly mainLength: number;
  readonly headings: number;
  readonly mainHeadings: number;
  readonly nodes: number;
  readonly depth: number;
  readonly scripts: number;
  /** How many hidden elements were left out, and the length of their text. */
  readonly hidden: number;
  readonly hiddenLength: number;
  /** The start of the line with the anchor. */
  readonly anchorAt?: number;
}

export interface ConvertOptions {
  readonly url: string;
  readonly isXml?: boolean;
  /** Only what the page marks as its main part. */
  readonly onlyMain?: boolean;
  readonly collectLinks?: boolean;
  /** The name of the anchor to locate. */
  readonly anchor?: string | undefined;
}

const MOST_LINKS = 20_000;
/** Marks what stands for images and frames, to find it in the Markdown. A private-use character without a meaning of its own. */
export const EMBEDDED_MARK = "\uE000";
const EMBEDDED = new Set(["frame", "iframe", "img"]);
const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
/** The links to a heading that documentation generators put behind it. */
const PERMALINK = /^\s*[#¶§🔗]\s*$/u;
/** Elements that mdream writes with marks of their own, even in `pre`. */
const MARKED_CODE = new Set(["pre", "code", "li", "table", "tr", "td", "th"]);
/** Controls and frames: their edges keep them apart from text. */
const BOXES = new Set(["button", "frame", "iframe", "input", "select", "textarea"]);
const SKIP = { skip: true };

const MAIN = (name: string, attributes: Readonly<Record<string, string>>): boolean =>
  name === "main" || attributes["role"] === "main";

interface WalkOptions extends Required<ConvertOptions> {
  readonly base: string;
  readonly look: HiddenElements;
  readonly anchorMark: string;
}

/** Collects facts about a page, and leaves out hidden parts, while mdream converts it. */
export class Walk {
  readonly #options: WalkOptions;
  readonly #links: { url: string; text: string }[] = [];
  readonly #head = new HeadReader();
  readonly #rows = new TableRows();
  readonly #lines = new CodeLines();
  /** The outermost hidden element and the main element that the walk is in. */
  #cut: ElementNode | undefined;
  #main: ElementNode | undefined;
  #heading: ElementNode | undefined;
  /** The links and headings that the walk is in, and where their output begins. */
  readonly #open: { readonly element: ElementNode; readonly start: number; readonly shown: number }[] = [];
  /** Whether the next text is not in one line with the last, which mdream forgets in links and between boxes. */
  #isApart = false;
  /** How many texts, images and frames have been written. */
  #shown = 0;
  #anchor: { url: string; text: string } | undefined;
  #title: string | undefined;
  #isInTitle = false;
  readonly #counts = {
    textLength: 0,
    mainLength: 0,
    headings: 0,
    mainHeadings: 0,
    nodes: 0,
    depth: 0,
    scripts: 0,
    hidden: 0,
    hiddenLength: 0,
  };
  /** The anchor to locate, and whether it was found and waits for its first text. */
  #anchorName: string | undefined;
  #isAtAnchor = false;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#anchorName = options.anchor;
  }

  readonly plugin: TransformPlugin = {
    // For elements so deep that mdream reads only their text.
    excludesOverflowSubtree: (element) => this.#options.look.has(element),
    processAttributes: (element) => {
      const { name } = element;
      if (name !== "a" && !EMBEDDED.has(name)) return;
      const { attributes } = element;
      const text = tidy(attributes[name === "img" ? "alt" : "title"] ?? "");
      // Visible only on hover.
      delete attributes["title"];
      if (name === "a") {
        const href = attributes["href"];
        // A heading's link to itself is useless.
        const isOwn = this.#heading !== undefined && href?.startsWith("#") === true;
        if (isOwn) delete attributes["href"];
        else this.#tidyUrl(attributes, "href");
        return;
      }
      // A new object, because elements without attributes share a frozen one.
      const alt = EMBEDDED_MARK + (name === "img" ? "Image" : "Frame") + (text && `: ${text}`);
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
    // mdream would append it to the base unchanged.
    else if (url !== undefined && /[\0-\x20\\]/.test(url))
      attributes[name] = toAbsolute(url, this.#options.base) ?? url;
  }

  #enter(element: ElementNode, state: Conversion): { skip: boolean } | undefined {
    this.#counts.nodes += 1;
    if (element.depth > this.#counts.depth) this.#counts.depth = element.depth;
    const { name, attributes, parent } = element;
    if (name === "script") this.#counts.scripts += 1;
    else if (name === "meta" || name === "link" || name === "html") this.#head.read(name, attributes);
    else if (name === "title") this.#isInTitle = this.#title === undefined;
    if (this.#cut !== undefined) return SKIP;
    const isHidden = this.#options.look.has(element);
    const isEmptyFrame = /^i?frame$/.test(name) && !attributes["src"];
    if (isHidden || isEmptyFrame) {
      if (isHidden && name !== "script" && name !== "style") this.#counts.hidden += 1;
      this.#cut = element;
      if (!this.#keepsPlace(element)) return SKIP;
      this.#rows.enter(element, state);
      return undefined;
    }
    if (this.#main === undefined && MAIN(name, attributes)) this.#main = element;
    const isMain = this.#main !== undefined;
    if (HEADINGS.has(name)) {
      this.#heading ??= element;
      this.#counts.headings += 1;
      if (isMain) this.#counts.mainHeadings += 1;
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
    // The items after it continue from this number.
    if (name === "li" && parent && /^\d{1,9}$/.test(attributes["value"] ?? ""))
      parent.attributes = { ...parent.attributes, start: `${Number(attributes["value"]) - element.index}` };
    if (BOXES.has(name)) this.#isApart ||= endsWord(state);
    // Before the mark that mdream writes for it.
    if (this.#isApart && !this.#options.look.isBlock(element)) this.#separate(state);
    if (EMBEDDED.has(name)) this.#shown += 1;
    else if (!this.#lines.isInside && (HEADINGS.has(name) || (name === "a" && "href" in attributes)))
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
    const isBox = BOXES.has(element.name);
    if (isBox ? endsWord(state) : this.#open.length > 0 && this.#options.look.isBlock(element)) {
      this.#isApart = true;
      if (this.#anchor) this.#anchor.text += " ";
    }
    const isMain = this.#main !== undefined;
    if (this.#main === element) this.#main = undefined;
    if (this.#heading === element) this.#heading = undefined;
    const isEmpty = this.#dropEmpty(element, state);
    if (element.name === "a") {
      if (isEmpty && !this.#options.look.isLegibleIn(element) && this.#anchor) this.#links.pop();
      this.#anchor = undefined;
    }
    this.#rows.exit(element, state);
    const isLine = this.#isLine(element);
    this.#lines.exit(element, isLine);
    if (isEmpty || isLine) return SKIP;
    return this.#options.onlyMain && !isMain && !isAncestor(element.name) ? SKIP : undefined;
  }

  /** Removes the output of a link or heading without visible content. */
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
    if (this.#isInTitle) this.#title = ((this.#title ?? "") + value).slice(0, 1000);
    if (parent?.name === "title") return SKIP;
    const length = value.trim().length;
    if (this.#cut && !NEVER_SHOWN.has(this.#cut.name)) this.#counts.hiddenLength += length;
    if (this.#cut !== undefined || (this.#heading !== undefined && PERMALINK.test(value))) return SKIP;
    if (length > 0 && parent && !this.#options.look.isLegibleIn(parent)) {
      this.#counts.hidden += 1;
      this.#counts.hiddenLength += length;
      return SKIP;
    }
    this.#counts.textLength += length;
    const isMain = this.#main !== undefined;
    if (isMain) this.#counts.mainLength += length;
    if (this.#anchor && this.#anchor.text.length < 300) this.#anchor.text += value;
    if (this.#options.onlyMain && !isMain) return SKIP;
    if (length > 0) {
      this.#shown += 1;
      this.#separate(state, value);
    }
    if (this.#lines.isInside) {
      // Otherwise mdream trims the text.
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

  #separate({ buffer }: Conversion, next = ""): void {
    const isJoined = /[^\s[]/.test(buffer.at(-1)?.at(-1) ?? "") && !/^[\s,.;:!?)]/.test(next);
    if (this.#isApart && !this.#lines.isInside && isJoined) buffer.push(" ");
    this.#isApart = false;
  }

  /** Whether to write an empty cell for a hidden one, so that those after it stay in their columns. */
  #keepsPlace(element: ElementNode): boolean {
    const isRead = !this.#options.onlyMain || this.#main !== undefined;
    return isRead && this.#options.look.keepsPlace(element);
  }

  #isLine(element: ElementNode): boolean {
    if (!this.#lines.isInside || MARKED_CODE.has(element.name)) return false;
    return element.name === "br" || element.name === "hr" || this.#options.look.isBlock(element);
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
      ...this.#counts,
    };
  }
}

/** False after the mark that begins formatting, which a space would break. */
const endsWord = ({ buffer }: Conversion): boolean => /[\p{L}\p{N}.,:;!?)`]$/u.test(buffer.at(-1) ?? "");

/** Elements around the main part that are not skipped; they produce no output. */
const isAncestor = (name: string): boolean => name === "html" || name === "body";

/** Whether the element is the anchor with this name. */
const isNamed = ({ name, attributes: { id, name: own } }: ElementNode, wanted: string): boolean =>
  (id !== undefined && decodeEntities(id) === wanted) ||
  (name === "a" && own !== undefined && decodeEntities(own) === wanted);

/** The address of an image or frame. Until scripts have run, `src` of a lazy one is missing or a placeholder. */
function toSource({ src, srcset = "", ...rest }: Readonly<Record<string, string>>): string | undefined {
  if (src && !/^(?:about|data):/.test(src)) return src;
  return rest["data-src"] ?? rest["data-lazy-src"] ?? /^\s*(\S+?),?(?:\s|$)/.exec(srcset)?.[1] ?? src;
}
