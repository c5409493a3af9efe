import { untrusted, type TextPart } from "@suite/server-kit";
import * as v from "valibot";

import { quoteShort } from "../domain/values/cite.ts";
import type { RowPage, PageLimits } from "../domain/protocol.ts";
import { renderTable } from "../domain/render.ts";
import { Columns, Rows } from "./schemas.ts";

/** Rows of a result, as every tool gives them. */
export const pageOutput = { columns: Columns, rows: Rows, truncated: v.boolean() };

export type GivenPage = Omit<RowPage, "next">;

export const toGivenPage = ({ columns, rows, truncated }: RowPage): GivenPage => ({
  columns,
  rows,
  truncated,
});

const LONGEST_CELL = 2000;
const CELLS_OF_A_LONG_RESULT = 20;

/** A cell has 2,000 characters, and more where the call asks for a longer result. */
export const limitsFor = (budget: number): Pick<PageLimits, "maxBytes" | "maxCellBytes"> => ({
  maxBytes: budget,
  maxCellBytes: Math.max(LONGEST_CELL, Math.floor(budget / CELLS_OF_A_LONG_RESULT)),
});

/** What is in a database comes from outside like anything else. */
export const renderRows = (page: GivenPage): TextPart => untrusted(renderTable(page));

const isCut = (cell: unknown): boolean => typeof cell === "object" && cell !== null && "truncated" in cell;

/** What a model should know of values that could not be given as they are. */
export function noteValues({ columns, rows }: GivenPage): string[] {
  const inexact = columns.filter((column) => column.inexact).map(({ name }) => name);
  return [
    ...(rows.some((row) => row.some(isCut))
      ? [
          "Long values are cut: read_query gives other parts with substr(column, start, length), longer ones with max_bytes.",
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
