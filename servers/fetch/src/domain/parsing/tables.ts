import type { ElementNode } from "@mdream/js";

/** The parts of mdream's state used here. */
export interface Conversion {
  readonly buffer: string[];
  tableCurrentRowCells?: number;
  readonly tableHeaderCells?: number;
}

/** A limit, because a few cells with large spans could fill every row below them. */
const MOST_COLUMNS = 64;

/** Leaves empty cells below a cell that spans several rows, which Markdown does not have. */
export class TableRows {
  /** The open tables, outermost first; the others are nested in its cells. */
  readonly #tables: ElementNode[] = [];
  /** By column, the first row that no cell from above reaches. */
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
    // mdream writes a bar before every cell except the first. A hidden cell must not count as the first.
    cell.index = column;
    const { colspan, rowspan } = cell.attributes;
    this.#column = column + Math.min(toSpan(colspan) || 1, MOST_COLUMNS);
    // mdream puts cells beyond the last header column into that column.
    const end = Math.min(this.#column, state.tableHeaderCells || MOST_COLUMNS, MOST_COLUMNS);
    for (let at = column; at < end; at += 1) this.#takenTo[at] = this.#row + (toSpan(rowspan) || Infinity);
  }
}

/** Zero spans to the end of the row group. */
const toSpan = (given = "1"): number => (/^\s*\d{1,5}\s*$/.test(given) ? Number(given) : 1);
