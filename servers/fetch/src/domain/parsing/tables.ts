import { attributeOf, type Element, isElement, type Node } from "./tree.ts";

/** A part of the Markdown with empty lines around it. */
export interface Block {
  readonly kind: "text" | "heading" | "list" | "other";
  readonly text: string;
}

/** A limit, because a few cells with large spans could fill every row below them. */
const MOST_COLUMNS = 64;
/** In characters. A longer text is not repeated, nor is any after this much in all. */
const LONGEST_REPEATED = 100;
const MOST_REPEATED = 100_000;

type WriteCell = (nodes: readonly Node[], isInCell: boolean) => readonly Block[];

/** A table as Markdown. One with others in it only arranges them, and becomes what is in it. */
export function writeTable(table: Element, write: WriteCell): readonly Block[] {
  const rows = findRows(table);
  const others = table.childNodes.filter(
    (node) => !isElement(node) || !/^(?:colgroup|t(?:body|foot|head|r))$/.test(node.tagName),
  );
  const caption = write(others, false);
  const cells = rows.flatMap(({ cells: own }) => own);
  if (cells.some(holdsTable)) return [...caption, ...cells.flatMap((cell) => write(cell.childNodes, false))];
  const lines = new Grid(write).fill(rows);
  const columns = Math.max(0, ...lines.map(({ length }) => length));
  if (columns === 0) return caption;
  const toLine = (line: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, at) => line[at] ?? "").join(" | ")} |`;
  const [head = [], ...body] = lines;
  const rule = toLine(Array.from({ length: columns }, () => "---"));
  return [...caption, { kind: "other", text: [toLine(head), rule, ...body.map(toLine)].join("\n") }];
}

interface Row {
  readonly cells: readonly Element[];
  /** Of its group: a cell spans rows of its own group only. */
  readonly group: Element;
}

const findRows = (around: Element): readonly Row[] =>
  around.childNodes.filter(isElement).flatMap((child) => {
    if (child.tagName !== "tr") return /^t(?:body|foot|head)$/.test(child.tagName) ? findRows(child) : [];
    const cells = child.childNodes.filter(isElement).filter(({ tagName }) => /^t[dh]$/.test(tagName));
    return [{ cells, group: around }];
  });

const holdsTable = ({ childNodes }: Element): boolean =>
  childNodes.some((node) => isElement(node) && (node.tagName === "table" || holdsTable(node)));

/** Repeats a cell that spans several rows in each of them, because Markdown has no such cells. */
class Grid {
  readonly #write: WriteCell;
  #room = MOST_REPEATED;

  constructor(write: WriteCell) {
    this.#write = write;
  }

  fill(rows: readonly Row[]): readonly (readonly string[])[] {
    /** By column: the text of the cell above, and the rows that it still reaches. */
    let above: { readonly text: string; left: number }[] = [];
    let group: Element | undefined;
    return rows.map((row) => {
      if (row.group !== group) above = [];
      group = row.group;
      const line: string[] = [];
      const repeat = (): void => {
        for (let cell = above[line.length]; cell && cell.left > 0; cell = above[line.length]) {
          cell.left -= 1;
          line.push(this.#repeat(cell.text));
        }
      };
      for (const cell of row.cells) {
        repeat();
        if (line.length >= MOST_COLUMNS) break;
        const text = this.#toText(cell);
        const width = Math.min(toSpan(cell, "colspan") || 1, MOST_COLUMNS - line.length);
        const left = (toSpan(cell, "rowspan") || Infinity) - 1;
        for (let at = 0; at < width; at += 1) {
          above[line.length] = { text: at === 0 ? text : "", left };
          line.push(at === 0 ? text : "");
        }
      }
      repeat();
      return line;
    });
  }

  #repeat(text: string): string {
    if (text.length > LONGEST_REPEATED || text.length > this.#room) return "";
    this.#room -= text.length;
    return text;
  }

  #toText({ childNodes }: Element): string {
    return this.#write(childNodes, true)
      .map(({ text }) => text.replaceAll(/ *\n+/g, "<br>").replaceAll("|", String.raw`\|`))
      .join("<br>");
  }
}

/** Zero spans to the end of the row group. */
function toSpan(cell: Element, name: string): number {
  const given = attributeOf(cell, name) ?? "1";
  return /^\s*\d{1,5}\s*$/.test(given) ? Number(given) : 1;
}
