import { continued, h, outside } from "./elements.ts";
import type { Fields } from "./host.ts";

const STEP = 200;

/** A page of rows: `{ columns: [{ name }], rows: [[…]] }`. */
export function showRows({ columns, rows }: Fields): HTMLElement {
  const all = rows as readonly (readonly unknown[])[];
  const kinds = (columns as readonly { readonly name: string }[]).map(({ name }, at) => {
    const first = all.find((row) => row[at] !== null)?.[at];
    return { name, class: `${sideOf(name)} ${typeof first === "number" ? "amount" : ""}` };
  });
  const heads = kinds.map(({ name, class: kind }) => h("th", { scope: "col", class: kind }, outside(name)));
  const body = h("tbody");
  const table = h("table", { class: "rows" }, h("thead", {}, h("tr", {}, ...heads)), body);
  const toRow = (row: readonly unknown[]): Node =>
    h("tr", {}, ...row.map((cell, at) => toCell(cell, kinds[at]?.class)));
  return h("div", { class: "scroll" }, continued(all, STEP, body, toRow, table));
}

/** A preview has two columns for what changes. */
const sideOf = (name: string): string =>
  name.endsWith(" before") ? "removed" : name.endsWith(" after") ? "added" : "";

const toCell = (cell: unknown, kind = ""): HTMLElement =>
  cell === null ? h("td", { class: `${kind} null` }, "NULL") : h("td", { class: kind }, outside(cell));
