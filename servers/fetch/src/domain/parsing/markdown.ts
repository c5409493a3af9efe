import { isHarmless, tidy, toAbsolute } from "./page-facts.ts";
import { type Block, writeTable } from "./tables.ts";
import { attributeOf, type Element, isBlock, isElement, isText, type Node } from "./tree.ts";

interface Context {
  readonly isInHeading?: boolean;
  readonly isInLink?: boolean;
  readonly isInCell?: boolean;
  readonly marks?: string;
  /** How many lists and quotes are around. */
  readonly depth?: number;
}

export interface Written {
  readonly markdown: string;
  /** The start of the line with the anchor. */
  readonly anchorAt?: number;
}

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));
const CODE = toSet("code kbd samp tt");
const PRE = toSet("listing plaintext pre xmp");
const MARKS: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["em", "*"],
  ["i", "*"],
  ["del", "~~"],
  ["s", "~~"],
  ["strike", "~~"],
]);
/** Kept apart from the text beside them: boxes, and the signs of formulas and pictures. */
const APART = toSet("annotation button mi mn mo ms mtext option select text textarea");
const SILENT = toSet("head script style template title");
/** The links to a heading that documentation generators put behind it. */
const PERMALINK = /^\s*[#¶§🔗]\s*$/u;
/** A private-use character without a meaning of its own, at the place of the anchor. */
const ANCHOR = "\uE001";
/** Levels. Indentation for more would soon be longer than the text. */
const DEEPEST = 10;

/** Writes a tree as Markdown with absolute links. */
export class MarkdownWriter {
  readonly #base: string;
  readonly #holding = new WeakMap<Element, boolean>();
  /** The anchor to find, and whether it was found and waits for its first text. */
  #anchor: string | undefined;
  #isAtAnchor = false;

  constructor(base: string, anchor?: string) {
    this.#base = base;
    this.#anchor = anchor;
  }

  write(nodes: readonly Node[]): Written {
    const marked = join(this.blocks(nodes, {}));
    const at = marked.indexOf(ANCHOR);
    const markdown = marked.replaceAll(ANCHOR, "").trim();
    return at < 0 ? { markdown } : { markdown, anchorAt: marked.lastIndexOf("\n", at) + 1 };
  }

  blocks(nodes: readonly Node[], context: Context): Block[] {
    const blocks: Block[] = [];
    let line: Node[] = [];
    const endLine = (): void => {
      const text = toParagraph(this.#inline(line, context));
      if (text !== "") blocks.push({ kind: "text", text });
      line = [];
    };
    for (const node of nodes) {
      if (!isElement(node) || (!isBlock(node) && !this.#holdsBlock(node))) line.push(node);
      else {
        endLine();
        blocks.push(...this.#block(node, context));
      }
    }
    endLine();
    return blocks;
  }

  #holdsBlock(element: Element): boolean {
    const known = this.#holding.get(element);
    if (known !== undefined) return known;
    const holds = element.childNodes.some(
      (node) => isElement(node) && (isBlock(node) || this.#holdsBlock(node)),
    );
    this.#holding.set(element, holds);
    return holds;
  }

  #enter(element: Element): void {
    if (this.#anchor === undefined) return;
    const isNamed =
      attributeOf(element, "id") === this.#anchor ||
      (element.tagName === "a" && attributeOf(element, "name") === this.#anchor);
    if (!isNamed) return;
    this.#anchor = undefined;
    this.#isAtAnchor = true;
  }

  #block(element: Element, context: Context): readonly Block[] {
    const { tagName: name, childNodes } = element;
    if (SILENT.has(name)) return [];
    this.#enter(element);
    const depth = (context.depth ?? 0) + 1;
    if (/^h[1-6]$/.test(name)) return this.#heading(element, context);
    if (PRE.has(name)) return this.#code(element, context);
    if (name === "hr") return [{ kind: "other", text: "---" }];
    if (name === "table")
      return writeTable(element, (cell, isInCell) => this.blocks(cell, { ...context, isInCell }));
    if (name === "a") return this.#blockLink(element, context);
    if (name === "li") return this.#item(element, "- ", { ...context, depth });
    if (/^(?:dir|menu|ol|ul)$/.test(name)) return this.#list(element, { ...context, depth });
    const blocks = this.blocks(childNodes, name === "blockquote" ? { ...context, depth } : context);
    if (name !== "blockquote" || depth > DEEPEST || context.isInCell) return blocks;
    const text = join(blocks).replaceAll(/^(?=(.?))/gm, (_, first: string) => (first === "" ? ">" : "> "));
    return blocks.length === 0 ? [] : [{ kind: "other", text }];
  }

  #heading({ tagName, childNodes }: Element, context: Context): readonly Block[] {
    const text = tidy(this.#inline(childNodes, { ...context, isInHeading: true }));
    if (text === "") return [];
    // There are no headings in a table of Markdown.
    return context.isInCell
      ? [{ kind: "text", text }]
      : [{ kind: "heading", text: `${"#".repeat(Number(tagName[1]))} ${text}` }];
  }

  /** A link around blocks: its heading or first text becomes the link. */
  #blockLink(element: Element, context: Context): readonly Block[] {
    const url = context.isInLink ? undefined : this.#toUrl(attributeOf(element, "href"));
    const blocks = this.blocks(
      element.childNodes,
      url === undefined ? context : { ...context, isInLink: true },
    );
    if (url === undefined) return blocks;
    const heading = blocks.findIndex(({ kind }) => kind === "heading");
    const at = heading < 0 ? blocks.findIndex(({ kind }) => kind === "text") : heading;
    return blocks.map((block, index) => {
      const [, mark = "", text = ""] = /^(#+ )?([^]*)$/.exec(block.text) ?? [];
      return index === at
        ? { ...block, text: `${mark}[${text.replaceAll(/\s*\n\s*/g, " ")}](${url})` }
        : block;
    });
  }

  #list(list: Element, context: Context): readonly Block[] {
    const isOrdered = list.tagName === "ol";
    let number = toNumber(attributeOf(list, "start")) ?? 1;
    const blocks: Block[] = [];
    for (const node of list.childNodes) {
      if (!isElement(node) || node.tagName !== "li") {
        blocks.push(...this.blocks([node], context));
        continue;
      }
      this.#enter(node);
      number = toNumber(attributeOf(node, "value")) ?? number;
      const item = this.#item(node, isOrdered ? `${number}. ` : "- ", context);
      number += item.length > 0 ? 1 : 0;
      const last = blocks.at(-1);
      // Items of one list, unless something else is between them.
      if (item.length === 1 && item[0]?.kind === "list" && last?.kind === "list")
        blocks[blocks.length - 1] = { kind: "list", text: `${last.text}\n${item[0].text}` };
      else blocks.push(...item);
    }
    return blocks;
  }

  /** An item with headings is not indented: a heading begins a line. */
  #item({ childNodes }: Element, mark: string, context: Context): readonly Block[] {
    const blocks = this.blocks(childNodes, context);
    if (blocks.length === 0 || blocks.some(({ kind }) => kind === "heading")) return blocks;
    const [first] = blocks;
    const isDeep = (context.depth ?? 0) > DEEPEST;
    const text = join(blocks, true);
    const indented = isDeep ? text : text.replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(mark.length)}`);
    return [{ kind: "list", text: first?.kind === "list" && isDeep ? text : mark + indented }];
  }

  #code(element: Element, { isInCell = false }: Context): readonly Block[] {
    const code = new CodeText().read(element).replaceAll(/^\n+|\s+$/g, "");
    if (code.trim() === "") return [];
    const text = this.#mark(code);
    if (isInCell) return [{ kind: "other", text: `<pre>${text.replaceAll("\n", "<br>")}</pre>` }];
    const fence = "`".repeat(Math.max(3, 1 + longestRun(text)));
    return [{ kind: "other", text: `${fence}${languageOf(element)}\n${text}\n${fence}` }];
  }

  #mark(text: string): string {
    if (!this.#isAtAnchor || !/\S/.test(text)) return text;
    this.#isAtAnchor = false;
    return text.replace(/\S/, `${ANCHOR}$&`);
  }

  #inline(nodes: readonly Node[], context: Context): string {
    return nodes
      .map((node) =>
        isText(node) ? this.#text(node.value, context) : isElement(node) ? this.#element(node, context) : "",
      )
      .join("");
  }

  #text(value: string, { isInHeading = false }: Context): string {
    if (isInHeading && PERMALINK.test(value)) return "";
    return this.#mark(escape(value.replaceAll(/[\s\uE001]+/g, " ")));
  }

  #element(element: Element, context: Context): string {
    const { tagName: name, childNodes } = element;
    if (SILENT.has(name)) return "";
    this.#enter(element);
    if (name === "br") return "\n";
    if (name === "img" || name === "iframe" || name === "frame") return this.#embedded(element);
    if (name === "input") return this.#input(element);
    if (name === "a") return this.#link(element, context);
    if (CODE.has(name) || PRE.has(name)) return this.#inlineCode(element, context);
    const mark = MARKS.get(name);
    if (mark !== undefined && !context.marks?.includes(mark)) {
      const text = this.#inline(childNodes, { ...context, marks: `${context.marks ?? ""} ${mark} ` });
      return surround(text, mark, mark);
    }
    const text = this.#inline(childNodes, context);
    if (name === "q") return surround(text, '"', '"');
    if (name === "sub" || name === "sup") return surround(text, `<${name}>`, `</${name}>`);
    const isApart = isBlock(element) || APART.has(name) || attributeOf(element, "dy") !== undefined;
    return isApart ? ` ${text} ` : text;
  }

  #inlineCode(element: Element, context: Context): string {
    const text = new CodeText().read(element).replaceAll(/\s+/g, " ");
    if (
      text.trim() === "" ||
      context.marks?.includes("`") ||
      element.childNodes.some((node) => isElement(node) && /^(?:a|img)$/.test(node.tagName))
    )
      return this.#inline(element.childNodes, { ...context, marks: `${context.marks ?? ""}\`` });
    const fence = "`".repeat(text.includes("`") ? 1 + longestRun(text) : 1);
    const space = /^`|`$/.test(text.trim()) ? " " : "";
    return surround(this.#mark(text), fence + space, space + fence);
  }

  #input(element: Element): string {
    const isChoice =
      /^(?:checkbox|radio)$/i.test(attributeOf(element, "type") ?? "") &&
      (element.parentNode as Element | null)?.tagName === "li";
    return isChoice ? (attributeOf(element, "checked") === undefined ? "[ ] " : "[x] ") : " ";
  }

  #embedded(element: Element): string {
    const isImage = element.tagName === "img";
    const source = toSource(element);
    if (!isImage && (source === undefined || !isHarmless(source) || source.startsWith("about:"))) return "";
    const about = escape(tidy(attributeOf(element, isImage ? "alt" : "title") ?? "").replaceAll(ANCHOR, ""));
    const text = (isImage ? "Image" : "Frame") + (about && `: ${about}`);
    const url = this.#toUrl(source);
    const link = url === undefined || url.startsWith("data:") ? `[${text}]` : `[${text}](${url})`;
    return isImage ? link : ` ${link} `;
  }

  #link(element: Element, context: Context): string {
    const href = attributeOf(element, "href");
    // A heading's link to itself is useless.
    const isOwn = context.isInHeading && href?.trim().startsWith("#");
    const url = isOwn || context.isInLink ? undefined : this.#toUrl(href);
    const text = this.#inline(
      element.childNodes,
      url === undefined ? context : { ...context, isInLink: true },
    );
    return url === undefined ? text : surround(text.replaceAll("\n", " "), "[", `](${url})`);
  }

  /** Undefined for addresses that do harm. */
  #toUrl(href: string | undefined): string | undefined {
    const bare = href?.replaceAll(/[\t\n\r]/g, "").trim();
    if (bare === undefined || !isHarmless(bare)) return undefined;
    const url = bare.startsWith("#") ? bare : (toAbsolute(bare, this.#base) ?? bare);
    return /[()\s<>]/.test(url) ? `<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>` : url;
  }
}

/** Marks around a text, without the spaces at its ends. */
function surround(text: string, before: string, after: string): string {
  const [, start = "", inner = "", end = ""] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  return inner === "" || inner === ANCHOR ? start + inner + end : start + before + inner + after + end;
}

const SPECIAL = /[\\*`[~]|<(?=[a-z/!?])|&(?=#?\w{1,31};)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;

const escape = (text: string): string =>
  /[\\*`[~<&_]/.test(text) ? text.replaceAll(SPECIAL, String.raw`\$&`) : text;

/** Text with single spaces, and with what only looks like the start of a heading, a list or a quote escaped. */
function toParagraph(text: string): string {
  const line = text.replaceAll(/ {2,}/g, " ");
  if (line.includes("\n"))
    return line
      .trim()
      .split(/ *\n */)
      .map(toPlainStart)
      .join("  \n");
  return toPlainStart(line.trim());
}

function toPlainStart(line: string): string {
  if (!/^\uE001?[#+>=\d-]/.test(line)) return line;
  return line
    .replace(/^(\uE001?)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|(?:-\s?){3,}$|=+$)/, String.raw`$1\$2`)
    .replace(/^(\uE001?\d{1,9})([.)])(?=\s)/, String.raw`$1\$2`);
}

function join(blocks: readonly Block[], isInItem = false): string {
  return blocks.reduce((all, { kind, text }, index) => {
    if (index === 0) return text;
    const isTight = isInItem && kind === "list";
    return `${all}${isTight ? "\n" : "\n\n"}${text}`;
  }, "");
}

const toNumber = (given: string | undefined): number | undefined =>
  given !== undefined && /^\s*\d{1,9}\s*$/.test(given) ? Number(given) : undefined;

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

function languageOf(element: Element): string {
  const inner = element.childNodes.find(isElement);
  const classes = [element, ...(inner ? [inner] : [])]
    .map((each) => attributeOf(each, "class") ?? "")
    .join(" ");
  return /(?:^|\s)(?:language|lang|highlight-source|brush:?)[- ]([\w+#.-]{1,30})/.exec(classes)?.[1] ?? "";
}

/** The address of an image or frame. Until scripts have run, `src` of a lazy one is missing or a placeholder. */
function toSource(element: Element): string | undefined {
  const src = attributeOf(element, "src");
  if (src && !/^(?:about|data):/.test(src)) return src;
  const first = /^\s*(\S+?),?(?:\s|$)/.exec(attributeOf(element, "srcset") ?? "")?.[1];
  return attributeOf(element, "data-src") ?? attributeOf(element, "data-lazy-src") ?? first ?? src;
}

/** The text of code, with the line breaks that come from elements. */
class CodeText {
  #code = "";
  /** An element has ended the line: a break is due, unless the next text begins with one. */
  #isEnded = false;

  read(element: Element): string {
    this.#read(element.childNodes);
    return this.#code;
  }

  #read(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (isText(node)) this.#add(node.value.replaceAll(/\r\n?/g, "\n").replaceAll(ANCHOR, ""));
      else if (!isElement(node) || SILENT.has(node.tagName)) continue;
      else if (node.tagName === "br") this.#add("\n");
      else if (!isBlock(node)) this.#read(node.childNodes);
      else {
        if (this.#code !== "" && !this.#code.endsWith("\n")) this.#code += "\n";
        this.#isEnded = false;
        this.#read(node.childNodes);
        this.#isEnded = this.#code !== "" && !this.#code.endsWith("\n");
      }
    }
  }

  #add(text: string): void {
    if (text === "") return;
    if (this.#isEnded && !text.startsWith("\n")) this.#code += "\n";
    this.#isEnded = false;
    this.#code += text;
  }
}
