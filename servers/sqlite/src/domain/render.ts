import { countOf } from "@suite/server-kit/domain";
import type { Page } from "./protocol.ts";
import type { Cell } from "./values/cell.ts";

/** Rows for a model: one a line, columns between bars. NULL, an empty text and a missing cell all look different. */
export function renderTable({ columns, rows }: Pick<Page, "columns" | "rows">): string {
  const head = columns.map(({ name }) => toLine(name)).join(" | ");
  return [head, ...rows.map((row) => row.map(renderCell).join(" | "))].join("\n");
}

export function renderCell(cell: Cell): string {
  if (cell === null) return "NULL";
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "string") return renderText(cell);
  if ("$int" in cell) return cell.$int;
  if ("$real" in cell) return cell.$real;
  if ("$escaped" in cell) return JSON.stringify(cell);
  if ("$text" in cell) return `${quote(cell.$text)}… (${cell.bytes} bytes)`;
  return "truncated" in cell
    ? `(blob of ${cell.bytes} bytes: ${cell.$blob}…)`
    : JSON.stringify({ $blob: cell.$blob });
}

/** A text that reads like something else is put in quotes. */
const AMBIGUOUS = /^(?:NULL|-?Infinity|[+-]?[\d.].*|\s.*|.*\s|".*|\(.*|\{"\$.*|)$/s;

function renderText(text: string): string {
  return AMBIGUOUS.test(text) ? quote(text) : toLine(text);
}

const quote = (text: string): string => `"${toLine(text).replaceAll('"', '\\"')}"`;

/** Views are no tables: they hold nothing. */
export function countTables(tables: readonly { readonly kind: string }[]): string {
  const views = tables.filter(({ kind }) => kind === "view").length;
  const counted = [
    ...(tables.length > views || views === 0 ? [countOf(tables.length - views, "table")] : []),
    ...(views > 0 ? [countOf(views, "view")] : []),
  ];
  return counted.join(", ");
}

/** One line, and no bar that could be taken for the next column. */
export const toLine = (text: string): string =>
  /[\\\n\r|]/.test(text)
    ? text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("|", "\\|")
    : text;
