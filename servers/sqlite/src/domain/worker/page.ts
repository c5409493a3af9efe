import type { RowPage, PageLimits } from "../protocol/statements.ts";
import { type Cell, type Column, type SqlValue, sizeOf, toCell } from "../values/cell.ts";
import type { Row } from "./connection.ts";

/** Rows of a running statement. */
export interface RowSource {
  readonly iterator: Iterator<Row, unknown>;
  /** The last row that was put on a page. */
  last?: Row;
  columns: readonly Column[];
}

const MIN_CELL_BYTES = 64;

/** The first page. Cells are cut as they come, so that no page is ever built beyond its limits. */
export function takePage(
  source: RowSource,
  { limit = 100, maxBytes = 1_000_000, maxCellBytes = 16_384 }: PageLimits,
): RowPage {
  const rows: Cell[][] = [];
  // Even the first row must fit: a cell gets at most its share of the page.
  const share = Math.max(MIN_CELL_BYTES, Math.floor(maxBytes / Math.max(1, source.columns.length)));
  const cellBytes = Math.min(maxCellBytes, share);
  let bytes = source.columns.reduce((sum, column) => sum + JSON.stringify(column).length + 1, 0);
  for (;;) {
    const { done, value: row } = source.iterator.next();
    if (done === true) return { columns: source.columns, rows, truncated: false };
    if (rows.length >= limit) return { columns: source.columns, rows, truncated: true };
    const cells: Cell[] = [];
    let isExact = true;
    for (const value of row) {
      const cell = toCell(value, cellBytes);
      cells.push(cell);
      bytes += sizeOf(cell);
      isExact &&= !isInexact(value);
    }
    if (bytes > maxBytes && rows.length > 0) return { columns: source.columns, rows, truncated: true };
    if (!isExact) markInexact(source, row);
    source.last = row;
    rows.push(cells);
  }
}

/** Bytes that are not UTF-8 become U+FFFD. */
export const isInexact = (value: SqlValue | undefined): boolean =>
  typeof value === "string" && value.includes("\uFFFD");

function markInexact(source: RowSource, row: Row): void {
  source.columns = source.columns.map((column, at) =>
    isInexact(row[at]) ? { ...column, inexact: true } : column,
  );
}
