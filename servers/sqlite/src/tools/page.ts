import { untrusted, type TextPart } from "@suite/server-kit";
import * as v from "valibot";

import type { Page } from "../domain/protocol.ts";
import { renderTable } from "../domain/render.ts";
import { Columns, Rows } from "./schemas.ts";

/** Rows of a result, as every tool gives them. */
export const pageOutput = { columns: Columns, rows: Rows, truncated: v.boolean() };

export interface GivenPage {
  columns: { name: string; type: string | null; inexact?: true }[];
  rows: unknown[][];
  truncated: boolean;
}

/** Schemas give types that may be written to; nobody does. */
export const toGivenPage = ({ columns, rows, truncated }: Page): GivenPage =>
  ({ columns, rows, truncated }) as GivenPage;

/** What is in a database comes from outside like anything else. */
export const renderRows = (page: GivenPage, source: string): TextPart =>
  untrusted(renderTable(page as Page), source);

/** What a model should know of text that could not be shown as it is. */
export function noteInexact(columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  const names = columns.map((name) => JSON.stringify(name)).join(", ");
  return [
    `Some text in ${names} is not UTF-8, or has the character U+FFFD: CAST(… AS BLOB) gives its bytes.`,
  ];
}

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
