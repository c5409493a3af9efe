import { continued, h, outside, toText } from "./elements.ts";
import type { Fields } from "./host.ts";

const STEP = 200;

/** A page of rows: `{ columns: [{ name }], rows: [[…]] }`. */
export function showRows(
  { columns, rows }: Fields,
  toHead: (name: string, column: number) => Node = (name) => outside(name),
): HTMLElement {
  const all = rows as readonly (readonly unknown[])[];
  const names = (columns as readonly { readonly name: string }[]).map(({ name }) => name);
  const kinds = names.map((name, at) => {
    const first = all.find((row) => (row[at] ?? null) !== null)?.[at];
    return `${sideOf(name)} ${isAmount(first) ? "amount" : ""}`;
  });
  const heads = names.map((name, at) => h("th", { scope: "col", class: kinds[at] }, toHead(name, at)));
  const body = h("tbody");
  const head = h("thead", {}, h("tr", {}, ...heads));
  const table = h("table", { class: "rows", "aria-label": "Rows" }, head, body);
  const toRow = (row: readonly unknown[]): Node =>
    h("tr", {}, ...row.map((cell, at) => toCell(cell, kinds[at])));
  return h("div", { class: "scroll" }, continued(all, STEP, body, toRow, table));
}

/** A number, also one past 2^53, which is in an object. */
export const isAmount = (cell: unknown): boolean =>
  typeof cell === "number" ||
  (typeof cell === "object" && cell !== null && ("$int" in cell || "$real" in cell));

export const toAmount = (cell: unknown): number => Number(toText(cell));

/** A preview has two columns for what changes. */
const sideOf = (name: string): string =>
  name.endsWith(" before") ? "removed" : name.endsWith(" after") ? "added" : "";

const toCell = (cell: unknown, kind = ""): HTMLElement =>
  cell === null ? h("td", { class: `${kind} null` }, "NULL") : h("td", { class: kind }, outside(cell));
