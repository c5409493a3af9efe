import { type Element, isElement, textOf } from "./xml.ts";

/** What an element is to a reader. One that is nothing in particular only holds others. */
export type Role =
  | { readonly as: "heading"; readonly level: number }
  /** `prefix` makes it an item of a list. */
  | { readonly as: "paragraph"; readonly prefix?: string | undefined }
  /** `continues` names the list whose numbers it goes on with. */
  | { readonly as: "list"; readonly isOrdered: boolean; readonly key?: string; readonly continues?: boolean }
  | { readonly as: "item" | "table" | "row" | "preformatted" | "nothing" | "hidden" }
  | { readonly as: "cell"; readonly width?: number }
  /** Stands for all that is in it. */
  | { readonly as: "text"; readonly text: string }
  | { readonly as: "link"; readonly url: string };

export interface Dialect {
  roleOf(element: Element): Role | undefined;
  /** Whether text counts anywhere, with white space only between words. Otherwise only roles have text. */
  readonly hasLooseText: boolean;
}

/** Columns of one row: a few attributes could claim millions. */
export const MOST_COLUMNS = 256;

/** Writes elements as Markdown, in their order. */
export class MarkdownWriter {
  /** Pieces of text that were left out because a person does not see them. */
  hidden = 0;
  readonly #dialect: Dialect;
  readonly #isInCell: boolean;
  readonly #lists: { readonly isOrdered: boolean; count: number }[] = [];
  /** The last numbers of lists that may be continued. */
  readonly #counts = new Map<string, number>();
  #text = "";
  #wasItem = false;
  #line = "";
  #prefix = "";

  constructor(dialect: Dialect, isInCell = false) {
    this.#dialect = dialect;
    this.#isInCell = isInCell;
  }

  get text(): string {
    this.#endBlock();
    return this.#text;
  }

  write(element: Element): this {
    const role = this.#dialect.roleOf(element);
    if (role === undefined) this.#writeChildren(element);
    else if (role.as === "text") this.#line += role.text;
    else if (role.as === "link") this.#writeLink(element, role.url);
    else if (role.as === "hidden") this.#hide(element);
    else if (role.as !== "nothing") {
      this.#endBlock();
      this.#writeBlock(element, role);
      this.#endBlock();
    }
    return this;
  }

  #writeBlock(element: Element, role: Role): void {
    if (role.as === "table" && !this.#isInCell) return this.#addBlock(toTable(this.#readRows(element)));
    if (role.as === "heading") this.#prefix = `${"#".repeat(Math.min(Math.max(role.level, 1), 6))} `;
    else if (role.as === "preformatted") return this.#addBlock(toCode(textOf(element)));
    else if (role.as === "paragraph" && role.prefix !== undefined) this.#prefix = role.prefix;
    else if (role.as === "item") this.#prefix = this.#countItem();
    if (role.as === "list") {
      const { isOrdered, key = "", continues = false } = role;
      this.#lists.push({ isOrdered, count: (continues && this.#counts.get(key)) || 0 });
    }
    this.#writeChildren(element);
    if (role.as === "list") this.#counts.set(role.key ?? "", this.#lists.pop()?.count ?? 0);
    this.#endBlock();
    // Of one without text.
    if (role.as === "heading" || role.as === "item" || (role.as === "paragraph" && role.prefix !== undefined))
      this.#prefix = "";
    return undefined;
  }

  #countItem(): string {
    const list = this.#lists.at(-1);
    if (list) list.count += 1;
    const indent = "  ".repeat(Math.max(this.#lists.length - 1, 0));
    return `${indent}${list?.isOrdered ? `${list.count}.` : "-"} `;
  }

  #writeChildren({ children }: Element): void {
    for (const node of children) {
      if (isElement(node)) this.write(node);
      else if (this.#dialect.hasLooseText) this.#addLoose(node.replaceAll(/\s+/g, " "));
    }
  }

  #addLoose(text: string): void {
    this.#line += /\s$/.test(this.#line) ? text.trimStart() : text;
  }

  #writeLink(element: Element, url: string): void {
    const before = this.#line;
    this.#line = "";
    this.#writeChildren(element);
    const text = this.#line.trim();
    this.#line = before + (text === "" || /[\s()<>]/.test(url) ? this.#line : `[${text}](${url})`);
  }

  #hide(element: Element): void {
    if (textOf(element).trim() !== "") this.hidden += 1;
  }

  #endBlock(): void {
    const [line, prefix] = [this.#line.trim(), this.#prefix];
    this.#line = "";
    if (line === "") return;
    this.#prefix = "";
    if (prefix.startsWith("#")) this.#addBlock(`${prefix}${line.replaceAll(/\s+/g, " ")}`);
    else this.#addBlock(prefix + escapeMarks(line), prefix !== "");
  }

  #addBlock(block: string, isItem = false): void {
    if (block === "") return;
    const between = this.#text === "" ? "" : isItem && this.#wasItem ? "\n" : "\n\n";
    this.#text += between + block;
    this.#wasItem = isItem;
  }

  #readRows(table: Element): string[][] {
    return table.children.filter(isElement).flatMap((element) => {
      const role = this.#dialect.roleOf(element);
      if (role?.as === "row") return [this.#readCells(element)];
      if (role?.as === "hidden") this.#hide(element);
      return role === undefined ? this.#readRows(element) : [];
    });
  }

  #readCells(row: Element): string[] {
    return row.children.filter(isElement).flatMap((element) => {
      const role = this.#dialect.roleOf(element);
      if (role?.as === "hidden") this.#hide(element);
      if (role?.as !== "cell") return role === undefined ? this.#readCells(element) : [];
      const cell = new MarkdownWriter(this.#dialect, true);
      cell.#writeChildren(element);
      const { text } = cell;
      this.hidden += cell.hidden;
      return [text, ...Array.from({ length: Math.min(role.width ?? 1, MOST_COLUMNS) - 1 }, () => "")];
    });
  }
}

/** The only headings are the document's own: a line such as `# install` must not look like one, nor a fence hide the next. */
export const escapeMarks = (text: string): string =>
  text.replaceAll(/^([^\S\n]*)(?=#|`{3}|~{3})/gm, String.raw`$1` + "\\");

function toCode(text: string): string {
  const fence = "`".repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([marks]) => marks.length + 1)));
  return text.trim() === "" ? "" : [fence, text.replaceAll(/^\n|\s+$/g, ""), fence].join("\n");
}

/** With the first row as its head. Empty if no cell has text. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""));
  const width = Math.min(Math.max(0, ...filled.map(({ length }) => length)), MOST_COLUMNS);
  const toLine = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => toCell(row[at] ?? "")).join(" | ")} |`;
  const [head, ...body] = filled;
  if (head === undefined) return "";
  return [toLine(head), toLine(head.map(() => "---")), ...body.map(toLine)].join("\n");
}

const toCell = (text: string): string =>
  text
    .trim()
    .replaceAll("|", String.raw`\|`)
    .replaceAll(/\s*\n\s*/g, "<br>");

export const writeMarkdown = (element: Element | undefined, dialect: Dialect): MarkdownWriter => {
  const writer = new MarkdownWriter(dialect);
  return element ? writer.write(element) : writer;
};
