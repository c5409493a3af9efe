import type { ElementNode } from "@mdream/js";

/** The parts of mdream's state used here. */
export interface Conversion {
  readonly buffer: string[];
  tableCurrentRowCells?: number;
  readonly tableHeaderCells?: number;
}

/** A limit, because a few cells with large spans could fill every row below them. */
const MOST_COLUMNS = 64;
/** In characters. A longer text is not repeated, nor is any after this much in all. */
const LONGEST_REPEATED = 100;
const MOST_REPEATED = 100_000;

/** A cell that reaches into the rows below it. */
interface Above {
  /** The first row that it does not reach. */
  readonly to: number;
  text: string;
}

/** Repeats a cell that spans several rows in each of them, because Markdown has no such cells. */
export class TableRows {
  /** The open tables, outermost first; the others are nested in its cells. */
  readonly #tables: ElementNode[] = [];
  /** By column. */
  #above: Above[] = [];
  #row = 0;
  #column = 0;
  /** The cell that the walk is in, and where its output begins. */
  #cell: { readonly element: ElementNode; readonly above: Above; readonly start: number } | undefined;
  #room = MOST_REPEATED;

  get isInside(): boolean {
    return this.#tables.length > 0;
  }

  enter(element: ElementNode, state: Conversion): void {
    const { name } = element;
    if (name === "table") this.#tables.push(element);
    if (this.#tables.length !== 1) return;
    if (name === "td" || name === "th") this.#place(element, state);
    else if (name === "tr") {
      this.#row += 1;
      this.#column = 0;
    } else if (name === "table" || name === "thead" || name === "tbody" || name === "tfoot") this.#above = [];
  }

  exit(element: ElementNode, state: Conversion): void {
    if (this.#cell?.element === element) {
      const { above, start } = this.#cell;
      // mdream writes the bar before the cell, too.
      const text = state.buffer.slice(start).join("").replace(/^ \|/, "").trim();
      if (text.length <= LONGEST_REPEATED) above.text = text;
      this.#cell = undefined;
    } else if (element.name === "tr" && this.#tables.length === 1) this.#fill(state);
    if (this.#tables.at(-1) === element) this.#tables.pop();
  }

  /** Writes the cells from above that come next in the row. */
  #fill(state: Conversion): void {
    const first = this.#column;
    for (; (this.#above[this.#column]?.to ?? 0) > this.#row; this.#column += 1) {
      const { text = "" } = this.#above[this.#column] ?? {};
      const repeated = text.length <= this.#room ? text : "";
      this.#room -= repeated.length;
      const bar = this.#column === 0 ? "" : " |";
      state.buffer.push([bar, repeated].filter((part) => part !== "").join(" "));
    }
    state.tableCurrentRowCells = (state.tableCurrentRowCells ?? 0) + this.#column - first;
  }

  #place(element: ElementNode, state: Conversion): void {
    this.#fill(state);
    const column = this.#column;
    // mdream writes a bar before every cell except the first. A hidden cell must not count as the first.
    element.index = column;
    const { colspan, rowspan } = element.attributes;
    this.#column = column + Math.min(toSpan(colspan) || 1, MOST_COLUMNS);
    // mdream puts cells beyond the last header column into that column.
    const end = Math.min(this.#column, state.tableHeaderCells || MOST_COLUMNS, MOST_COLUMNS);
    const to = this.#row + (toSpan(rowspan) || Infinity);
    const above = { to, text: "" };
    for (let at = column; at < end; at += 1) this.#above[at] = at === column ? above : { to, text: "" };
    this.#cell = { element, above, start: state.buffer.length };
  }
}

/** Zero spans to the end of the row group. */
const toSpan = (given = "1"): number => (/^\s*\d{1,5}\s*$/.test(given) ? Number(given) : 1);
