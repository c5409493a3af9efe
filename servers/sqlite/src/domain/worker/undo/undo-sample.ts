import type { UndoneRows } from "../../protocol/undo.ts";
import { type Cell, toCell } from "../../values/cell.ts";
import type { RowImage, TableShape } from "./table-shape.ts";

/** A row as an undo finds it, and as it leaves it; nothing where it is not there. */
export interface RestoredRow {
  readonly shape: TableShape;
  readonly now: RowImage | undefined;
  readonly restored: RowImage | undefined;
}

const MOST_ROWS = 20;
const LONGEST_CELL = 200;

/** The first rows of each table, with columns for before and after the undo. */
export const showUndone = (rows: readonly RestoredRow[]): readonly UndoneRows[] =>
  [...new Set(rows.map(({ shape }) => shape))].map((shape) =>
    toSample(
      shape,
      rows.filter((row) => row.shape === shape),
    ),
  );

function toSample({ name, columns, keys }: TableShape, changed: readonly RestoredRow[]): UndoneRows {
  const shown = changed.slice(0, MOST_ROWS);
  const cells = (side: "now" | "restored", at: number): readonly Cell[] =>
    shown.map((row) => toCell(row[side]?.[at] ?? null, LONGEST_CELL));
  const isThere = shown.some(({ now }) => now !== undefined);
  const comesBack = shown.some(({ restored }) => restored !== undefined);
  const parts = columns.flatMap((column, at) => {
    const [now, restored] = [cells("now", at), cells("restored", at)];
    if (isThere && comesBack && at < keys)
      return [{ name: column, cells: now.map((cell, row) => cell ?? restored[row] ?? null) }];
    if (isThere && comesBack && JSON.stringify(now) === JSON.stringify(restored)) return [];
    return [
      ...(isThere ? [{ name: `${column} before`, cells: now }] : []),
      ...(comesBack ? [{ name: `${column} after`, cells: restored }] : []),
    ];
  });
  return {
    table: name,
    rows: changed.length,
    sample: {
      columns: parts.map((part) => ({ name: part.name, type: null })),
      rows: shown.map((_, row) => parts.map((part) => part.cells[row] ?? null)),
      truncated: shown.length < changed.length,
    },
  };
}
