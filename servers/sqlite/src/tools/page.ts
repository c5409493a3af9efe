import { untrusted, type TextPart } from "@suite/server-kit";
import * as v from "valibot";

import { quoteShort } from "../domain/values/cite.ts";
import type { RowPage, PageLimits } from "../domain/protocol/statements.ts";
import { renderTable } from "../domain/render.ts";
import { isCut } from "../domain/values/cell.ts";
import { Columns, Rows } from "./schemas.ts";

/** Rows as every tool returns them. */
export const pageOutput = { columns: Columns, rows: Rows, truncated: v.boolean() };

export type GivenPage = Omit<RowPage, "next">;

const LONGEST_CELL = 2000;
const CELLS_OF_A_LONG_RESULT = 20;

/** A cell gets 2,000 bytes, or more if the call raises max_bytes. */
export const limitsFor = (budget: number): Pick<PageLimits, "maxBytes" | "maxCellBytes"> => ({
  maxBytes: budget,
  maxCellBytes: Math.max(LONGEST_CELL, Math.floor(budget / CELLS_OF_A_LONG_RESULT)),
});

/** Database contents are untrusted. */
export const renderRows = (page: GivenPage): TextPart => untrusted(renderTable(page));

/** Of a query, waiting included. */
export const elapsedSince = (begun: number): number => Math.round(performance.now() - begun);

/** Notes about values that were cut or are not UTF-8. */
export function noteValues({ columns, rows }: GivenPage): string[] {
  const inexact = columns.filter((column) => column.inexact).map(({ name }) => name);
  return [
    ...(rows.some((row) => row.some(isCut))
      ? [
          `Long values are cut: use read_query with substr(column, start, length) for other parts, or with a larger max_bytes (a value gets about 1/${CELLS_OF_A_LONG_RESULT} of it).`,
        ]
      : []),
    ...noteInexact(inexact),
  ];
}

const MOST_NAMED = 20;

export function noteInexact(columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  const names = columns.slice(0, MOST_NAMED).map(quoteShort).join(", ");
  return [
    `Some text in ${names} is not UTF-8, or has the character U+FFFD: CAST(… AS BLOB) gives its bytes.`,
  ];
}
