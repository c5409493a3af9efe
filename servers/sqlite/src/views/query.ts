import { button, count, h, openView, outside, type Page, type Shown, toText } from "@suite/server-kit/view";

import { type Cell, drawChart, isAmount, KINDS, type Plan, planChart, toAmount } from "./chart.ts";
import styles from "./query.css";

interface Column {
  readonly name: string;
}
type Row = readonly Cell[];

const STEP = 200;

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
  #cursor: unknown;
  #sort: { readonly column: number; readonly isDown: boolean } | undefined;
  #filter = "";
  #most = STEP;
  #plan: Plan | undefined;
  readonly #table = h("div", { class: "scroll" });
  readonly #chart = h("div", { class: "chart" });
  readonly #sum = h("p", { role: "status", class: "hint" });

  constructor(shown: Shown, page: Page) {
    this.#shown = shown;
    this.#page = page;
    this.#columns = (shown.result["columns"] as readonly Column[]).map(({ name }) => name);
    this.#rows = shown.result["rows"] as readonly Row[];
    this.#cursor = shown.result["next_cursor"];
    this.#plan = planChart(this.#columns, this.#rows);
  }

  show(): void {
    const about = `${count(this.#rows.length, "row")}, ${count(this.#columns.length, "column")}${this.#cursor === undefined ? "" : ", and there are more"}.`;
    const filter = h("input", {
      type: "search",
      placeholder: "Filter",
      "aria-label": "Show only rows that contain",
      input: (event) => this.#find(event),
    });
    const isMore = this.#cursor !== undefined && this.#shown.tool !== undefined;
    const canSave = this.#page.host.can("downloadFile");
    this.#page.show(
      "Query result",
      about,
      outside(this.#shown.input["query"], "pre"),
      this.#plan && this.#toChoices(this.#plan),
      this.#chart,
      h(
        "div",
        { class: "actions" },
        filter,
        canSave && button("Save as CSV", () => this.#save("result.csv", "text/csv", this.#toCsv())),
        isMore && button("Load more", () => this.#loadMore()),
      ),
      this.#sum,
      this.#table,
    );
    this.#draw();
  }

  /** A column of numbers is read from its end. */
  #isAmounts(column: number): boolean {
    return isAmount(this.#rows.find((row) => (row[column] ?? null) !== null)?.[column] ?? null);
  }

  #find(event: Event): void {
    this.#filter = (event.target as HTMLInputElement).value.toLowerCase();
    this.#most = STEP;
    this.#draw();
  }

  #draw(): void {
    const rows = this.#toShownRows();
    const isAll = rows.length === this.#rows.length;
    this.#sum.textContent = isAll ? "" : `${count(rows.length, "row")} of ${this.#rows.length} match.`;
    this.#table.replaceChildren(this.#toTable(rows));
    const plan = this.#plan;
    if (plan) this.#chart.replaceChildren(drawChart(plan, this.#columns, rows));
  }

  #toShownRows(): readonly Row[] {
    const found =
      this.#filter === ""
        ? this.#rows
        : this.#rows.filter((row) => row.some((cell) => toText(cell).toLowerCase().includes(this.#filter)));
    const sort = this.#sort;
    if (!sort) return found;
    const sign = sort.isDown ? -1 : 1;
    return found.toSorted((a, b) => sign * compare(a[sort.column] ?? null, b[sort.column] ?? null));
  }

  #toTable(rows: readonly Row[]): HTMLElement {
    const heads = this.#columns.map((name, column) => {
      const isSorted = this.#sort?.column === column;
      const isDown = isSorted && this.#sort?.isDown === true;
      const sort = isSorted ? (isDown ? "descending" : "ascending") : "none";
      const press = (): void => {
        this.#sort = { column, isDown: isSorted && !isDown };
        this.#draw();
        this.#table.querySelectorAll<HTMLElement>("th button")[column]?.focus();
      };
      const sign = h("span", { "aria-hidden": "true" }, isSorted ? (isDown ? " ↓" : " ↑") : "");
      return h(
        "th",
        { scope: "col", class: this.#isAmounts(column) ? "amount" : "", "aria-sort": sort },
        h("button", { type: "button", class: "quiet", click: press }, outside(name), sign),
      );
    });
    const body = rows
      .slice(0, this.#most)
      .map((row) => h("tr", {}, ...row.map((cell, column) => toCell(cell, this.#isAmounts(column)))));
    const table = h(
      "table",
      { class: "rows" },
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...body),
    );
    const left = rows.length - body.length;
    const more = (): void => {
      this.#most += STEP;
      this.#draw();
    };
    return h(
      "div",
      {},
      table,
      left > 0 && button(`Show ${Math.min(STEP, left)} more of ${left}`, more, "quiet"),
    );
  }

  #toChoices(plan: Plan): HTMLElement {
    const change = (part: Partial<Plan>): void => {
      this.#plan = { ...plan, ...this.#plan, ...part };
      this.#draw();
    };
    const amounts = this.#columns.flatMap((name, at) =>
      this.#rows.some((row) => isAmount(row[at] ?? null)) ? [[name, at] as const] : [],
    );
    const all = this.#columns.map((name, at) => [name, at] as const);
    const save = (): Promise<void> => {
      const svg = this.#chart.querySelector("svg");
      return svg
        ? this.#save("chart.svg", "image/svg+xml", new XMLSerializer().serializeToString(svg))
        : Promise.resolve();
    };
    return h(
      "div",
      { class: "actions" },
      toSelect(
        "Chart",
        KINDS.map((kind) => [kind, kind] as const),
        plan.kind,
        (value) => change({ kind: value as Plan["kind"] }),
      ),
      toSelect("of", amounts, plan.y, (value) => change({ y: Number(value) })),
      toSelect("by", all, plan.x, (value) => change({ x: Number(value) })),
      this.#page.host.can("downloadFile") && button("Save as SVG", save),
    );
  }

  #loadMore(): Promise<void> {
    return this.#page.attempt("Loading …", async () => {
      const { tool, input } = this.#shown;
      const next = await this.#page.call(tool, { ...input, cursor: this.#cursor });
      this.#rows = [...this.#rows, ...(next["rows"] as readonly Row[])];
      this.#cursor = next["next_cursor"];
      this.show();
    });
  }

  #save(name: string, type: string, text: string): Promise<void> {
    return this.#page.attempt("Saving …", () => this.#page.host.save(name, type, text));
  }

  #toCsv(): string {
    const lines = [this.#columns, ...this.#toShownRows()].map((row) => row.map(toField).join(","));
    return `${lines.join("\r\n")}\r\n`;
  }
}

/** Spreadsheets take text that begins with one of these for a formula. */
function toField(cell: Cell): string {
  const text = cell === null ? "" : toText(cell);
  const safe = typeof cell === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function toCell(cell: Cell, isAmounts: boolean): HTMLElement {
  const kind = isAmounts ? "amount" : "";
  return cell === null ? h("td", { class: `${kind} null` }, "NULL") : h("td", { class: kind }, outside(cell));
}

/** As SQLite orders them: nothing, then numbers, then text. */
function compare(a: Cell, b: Cell): number {
  const [left, right] = [rank(a), rank(b)];
  if (left !== right) return left - right;
  if (left === 1) return toAmount(a) - toAmount(b);
  const [one, other] = [toText(a), toText(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

const rank = (cell: Cell): number => (cell === null ? 0 : isAmount(cell) ? 1 : 2);

function toSelect(
  label: string,
  options: readonly (readonly [string, string | number])[],
  chosen: string | number,
  change: (value: string) => void,
): HTMLElement {
  const select = h(
    "select",
    { change: (event) => change((event.target as HTMLSelectElement).value) },
    ...options.map(([name, value]) => h("option", { value, selected: value === chosen }, name)),
  );
  return h("label", {}, `${label} `, select);
}
