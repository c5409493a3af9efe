import {
  button,
  count,
  h,
  isAmount,
  openView,
  outside,
  type Page,
  type Shown,
  showRows,
  toAmount,
  toText,
} from "@suite/server-kit/view";

import { drawChart, KINDS, type Plan, planChart, type Row } from "./chart.ts";
import styles from "./query.css";

openView({
  name: "query",
  styles,
  show(shown, page) {
    if (Array.isArray(shown.result["columns"])) new Query(shown, page).show();
    else page.show("Query", "This result has no rows.");
  },
});

/** A result that can be sorted, filtered, drawn and saved. What is shown is decided anew after each of these. */
class Query {
  readonly #shown: Shown;
  readonly #page: Page;
  readonly #columns: readonly string[];
  #rows: readonly Row[];
  #isAll: boolean;
  #sort: { readonly column: number; readonly isDown: boolean } | undefined;
  #filter = "";
  #plan: Plan | undefined;
  readonly #table = h("div");
  readonly #chart = h("div", { class: "chart" });
  readonly #sum = h("p", { role: "status", class: "hint" });

  constructor(shown: Shown, page: Page) {
    const { columns, rows, next_cursor: cursor } = shown.result;
    this.#shown = shown;
    this.#page = page;
    this.#columns = (columns as readonly { readonly name: string }[]).map(({ name }) => name);
    this.#rows = rows as readonly Row[];
    this.#isAll = cursor === undefined;
    this.#plan = planChart(this.#columns, this.#rows);
  }

  show(): void {
    const find = (event: Event): void => {
      this.#filter = (event.target as HTMLInputElement).value.toLowerCase();
      this.#draw();
    };
    const label = { placeholder: "Filter", "aria-label": "Show only rows that contain" };
    const more = this.#page.more(
      this.#shown,
      ({ next_cursor: cursor }) => (cursor === undefined ? undefined : { cursor }),
      ({ rows, next_cursor: cursor }) => {
        this.#rows = [...this.#rows, ...(rows as readonly Row[])];
        this.#isAll = cursor === undefined;
        this.#draw();
      },
    );
    this.#page.show(
      "Query result",
      this.#rows.length === 0 ? "" : "Press the name of a column to sort by it.",
      outside(this.#shown.input["query"], "pre"),
      this.#plan && this.#toChoices(this.#plan),
      this.#chart,
      h(
        "div",
        { class: "actions" },
        h("input", { type: "search", ...label, input: find }),
        this.#saves("CSV", "result.csv", "text/csv", () => this.#toCsv()),
        more,
      ),
      this.#sum,
      this.#table,
    );
    this.#draw();
  }

  #draw(): void {
    const rows = this.#toShownRows();
    const [all, found] = [this.#rows.length, rows.length];
    const facts = `${count(all, "row")}, ${count(this.#columns.length, "column")}`;
    const rest = this.#isAll ? "" : ", and there are more";
    this.#sum.textContent = `${found === all ? "" : `${count(found, "row")} of `}${facts}${rest}.`;
    this.#table.replaceChildren(this.#toTable(rows));
    if (this.#plan) this.#chart.replaceChildren(drawChart(this.#plan, this.#columns, rows));
  }

  #toShownRows(): readonly Row[] {
    const has = (cell: unknown): boolean => toText(cell).toLowerCase().includes(this.#filter);
    const found = this.#filter === "" ? this.#rows : this.#rows.filter((row) => row.some(has));
    if (!this.#sort) return found;
    const { column, isDown } = this.#sort;
    return found.toSorted((a, b) => (isDown ? -1 : 1) * compare(a[column] ?? null, b[column] ?? null));
  }

  #toTable(rows: readonly Row[]): HTMLElement {
    const { column: sorted, isDown = false } = this.#sort ?? {};
    const toHead = (name: string, column: number): Node => {
      const press = (): void => {
        this.#sort = { column, isDown: column === sorted && !isDown };
        this.#draw();
        this.#table.querySelectorAll<HTMLElement>("th button")[column]?.focus();
      };
      const sign = column === sorted ? (isDown ? " ↓" : " ↑") : "";
      return button(h("span", {}, outside(name), h("span", { "aria-hidden": "true" }, sign)), press, "quiet");
    };
    const columns = this.#columns.map((name) => ({ name }));
    const table = showRows({ columns, rows }, toHead);
    const head = sorted === undefined ? undefined : table.querySelectorAll("th")[sorted];
    head?.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    return table;
  }

  #toChoices(plan: Plan): HTMLElement {
    const names = this.#columns.map((name, at) => [name, at] as const);
    const amounts = names.filter(([, at]) => this.#rows.some((row) => isAmount(row[at])));
    const choose = (
      label: string,
      part: keyof Plan,
      options: readonly (readonly [string, unknown])[],
    ): Node => {
      const change = ({ target }: Event): void => {
        const chosen = options[(target as HTMLSelectElement).selectedIndex]?.[1];
        this.#plan = { ...plan, ...this.#plan, [part]: chosen };
        this.#draw();
      };
      const choices = options.map(([name, value]) => h("option", { selected: value === plan[part] }, name));
      return h("label", {}, `${label} `, h("select", { change }, ...choices));
    };
    const toSvg = (): string => {
      const svg = this.#chart.querySelector("svg");
      return svg ? new XMLSerializer().serializeToString(svg) : "";
    };
    return h(
      "div",
      { class: "actions" },
      choose(
        "Chart",
        "kind",
        KINDS.map((kind) => [kind, kind]),
      ),
      choose("of", "y", amounts),
      choose("by", "x", names),
      this.#saves("SVG", "chart.svg", "image/svg+xml", toSvg),
    );
  }

  #saves(format: string, name: string, type: string, toFile: () => string): Node | false {
    const save = async (): Promise<void> => {
      const text = toFile();
      if (text !== "") await this.#page.host.save(name, type, text);
    };
    const press = (): Promise<void> => this.#page.attempt("Saving …", save);
    return this.#page.host.can("downloadFile") && button(`Save as ${format}`, press);
  }

  #toCsv(): string {
    const lines = [this.#columns, ...this.#toShownRows()].map((row) => row.map(toField).join(","));
    return `${lines.join("\r\n")}\r\n`;
  }
}

/** Spreadsheets take text that begins with one of these for a formula. */
function toField(cell: unknown): string {
  const text = cell === null ? "" : toText(cell);
  const safe = !isAmount(cell) && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** As SQLite orders them: nothing, then numbers, then text. */
function compare(a: unknown, b: unknown): number {
  const [left, right] = [rank(a), rank(b)];
  if (left !== right) return left - right;
  if (left === 1) return toAmount(a) - toAmount(b);
  const [one, other] = [toText(a), toText(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

const rank = (cell: unknown): number => (cell === null ? 0 : isAmount(cell) ? 1 : 2);
