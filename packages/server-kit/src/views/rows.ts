import { continued, h, outside } from "./elements.ts";
import type { Fields } from "./host.ts";

const STEP = 200;

/** A page of rows: `{ columns: [{ name }], rows: [[…]] }`. */
export function showRows({ columns, rows }: Fields): HTMLElement {
  const names = (columns as readonly { readonly name: string }[]).map(({ name }) => name);
  const head = h(
    "tr",
    {},
    ...names.map((name) => h("th", { scope: "col", class: sideOf(name) }, outside(name))),
  );
  const body = h("tbody");
  const table = h("table", { class: "rows" }, h("thead", {}, head), body);
  const toRow = (row: readonly unknown[]): Node =>
    h("tr", {}, ...row.map((cell, at) => toCell(cell, sideOf(names[at] ?? ""))));
  return h("div", { class: "scroll" }, continued(rows as readonly unknown[][], STEP, body, toRow, table));
}

/** A preview has two columns for what changes. */
const sideOf = (name: string): string =>
  name.endsWith(" before") ? "removed" : name.endsWith(" after") ? "added" : "";

function toCell(cell: unknown, kind = ""): HTMLElement {
  if (cell === null) return h("td", { class: `${kind} null` }, "NULL");
  const isNumber = typeof cell === "number";
  return h("td", { class: isNumber ? `${kind} amount` : kind }, outside(cell));
}
