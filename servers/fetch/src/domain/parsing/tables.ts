import type { ElementNode } from "@mdream/js";

/** What is used here of how far the conversion is. */
export interface Conversion {
  readonly buffer: string[];
  tableCurrentRowCells?: number;
  readonly tableHeaderCells?: number;
}

/** Every row could be filled up to there by a few cells above it. */
const MOST_COLUMNS = 64;

/** Markdown has no cell over several rows: its place stays empty in those below. */
export class TableRows {
  /** Those that are open, the outermost first; the others are inside a cell. */
  readonly #tables: ElementNode[] = [];
  /** By column, the row that a cell from above no longer reaches. */
  #takenTo: number[] = [];
  #row = 0;
  #column = 0;

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
    } else if (name === "table" || name === "thead" || name === "tbody" || name === "tfoot")
      this.#takenTo = [];
  }

  exit(element: ElementNode): void {
    if (this.#tables.at(-1) === element) this.#tables.pop();
  }

  #place(cell: ElementNode, state: Conversion): void {
    const before = this.#column;
    let column = before;
    while ((this.#takenTo[column] ?? 0) > this.#row) column += 1;
    const empty = column - before;
    if (empty > 0) state.buffer.push(" |".repeat(before === 0 ? empty - 1 : empty));
    state.tableCurrentRowCells = (state.tableCurrentRowCells ?? 0) + empty;
    // Only the first cell has no bar before it, and one that is hidden is none.
    cell.index = column;
    const { colspan, rowspan } = cell.attributes;
    this.#column = column + Math.min(toSpan(colspan) || 1, MOST_COLUMNS);
    // What stands behind the last column of the head is put into that.
    const end = Math.min(this.#column, state.tableHeaderCells || MOST_COLUMNS, MOST_COLUMNS);
    for (let at = column; at < end; at += 1) this.#takenTo[at] = this.#row + (toSpan(rowspan) || Infinity);
  }
}

/** Zero is to the end of the group. */
const toSpan = (given = "1"): number => (/^\s*\d{1,5}\s*$/.test(given) ? Number(given) : 1);
