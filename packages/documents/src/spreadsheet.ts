import { MOST_COLUMNS, toTable } from "./markdown.ts";
import type { OfficePackage } from "./office-package.ts";
import type { Opened, PartText } from "./opened.ts";
import { toShownNumber } from "./number-format.ts";
import {
  attributeOf,
  child,
  type Element,
  findElement,
  isElement,
  isTrue,
  readElements,
  textOf,
} from "./xml.ts";

/** Cells of one sheet. */
const MOST_CELLS = 200_000;

/** XLSX: each sheet is a table of its cells that have values, as they were last calculated. */
export function openSpreadsheet(file: OfficePackage): Opened {
  const workbook = findElement(file.main, "workbook");
  const sheets = child(workbook, "sheets")?.children.filter(isElement) ?? [];
  const properties = child(workbook, "workbookPr");
  let values: Values | undefined;
  return {
    format: "xlsx",
    unit: "sheet",
    parts: sheets.map((sheet) => (room) => {
      const name = attributeOf(sheet, "name");
      const part = file.findById(sheet);
      if (part === undefined || (attributeOf(sheet, "state") ?? "visible") !== "visible")
        return { name, text: "", isHidden: part !== undefined };
      const since1904 = isTrue(attributeOf(properties, "date1904"));
      values ??= new Values(file, since1904);
      return { name, ...new SheetReader(values).read(part.main, room) };
    }),
  };
}

/** What cells refer to. */
class Values {
  readonly #strings: readonly string[];
  readonly #formats: readonly (string | number)[];
  readonly #since1904: boolean;

  constructor(file: OfficePackage, since1904: boolean) {
    const strings = file.findRelated("sharedStrings");
    this.#strings =
      strings === undefined ? [] : Array.from(readElements(strings, { wanted: ["si"] }), textOfString);
    this.#formats = readFormats(file.findRelated("styles"));
    this.#since1904 = since1904;
  }

  toText(cell: Element): string {
    const type = attributeOf(cell, "t") ?? "n";
    const inline = child(cell, "is");
    if (inline) return textOfString(inline);
    const value = child(cell, "v");
    const formula = child(cell, "f");
    const given = value ? textOf(value).trim() : "";
    if (given === "") return formula ? `=${textOf(formula)}` : "";
    if (type === "s") return this.#strings[Number(given)] ?? "";
    if (type === "b") return given === "1" ? "TRUE" : "FALSE";
    if (type !== "n") return given;
    return toShownNumber(given, this.#formats[Number(attributeOf(cell, "s") ?? 0)] ?? 0, this.#since1904);
  }
}

/** Without how it is pronounced. */
const textOfString = (element: Element): string =>
  element.children
    .filter(isElement)
    .map((each) => (each.name === "rPh" ? "" : each.name === "t" ? textOf(each) : textOfString(each)))
    .join("");

/** The number format of each style: its code, or its number if every program knows it. */
function readFormats(bytes: Uint8Array | undefined): readonly (string | number)[] {
  const styles = findElement(bytes, "styleSheet");
  const list = (name: string): readonly Element[] => child(styles, name)?.children.filter(isElement) ?? [];
  const codes = new Map(
    list("numFmts").map((each) => [attributeOf(each, "numFmtId"), attributeOf(each, "formatCode")]),
  );
  return list("cellXfs").map((each) => {
    const id = attributeOf(each, "numFmtId");
    return codes.get(id) ?? Number(id ?? 0);
  });
}

class SheetReader {
  readonly #values: Values;
  readonly #hiddenColumns: { readonly from: number; readonly to: number }[] = [];
  readonly #rows: (readonly [row: number, cells: ReadonlyMap<number, string>])[] = [];
  readonly #used = new Set<number>();
  #hidden = 0;
  #size = 0;
  #cells = 0;

  constructor(values: Values) {
    this.#values = values;
  }

  read(bytes: Uint8Array, room: number): PartText {
    let isCut = false;
    for (const element of readElements(bytes, { wanted: ["cols", "row"] })) {
      isCut = this.#size > room || this.#cells > MOST_CELLS;
      if (isCut) break;
      if (element.name === "cols") this.#readColumns(element);
      else this.#readRow(element);
    }
    const used = [...this.#used].toSorted((a, b) => a - b);
    const columns = used.slice(0, MOST_COLUMNS);
    const table = toTable(this.#rows.map(([, cells]) => columns.map((at) => cells.get(at) ?? "")));
    const [first, last] = [this.#rows[0]?.[0] ?? 0, this.#rows.at(-1)?.[0] ?? 0];
    const range = `${toLetters(columns[0] ?? 0)}${first}:${toLetters(columns.at(-1) ?? 0)}${last}`;
    const more = used.length - columns.length;
    const without = more === 0 ? "" : `, without ${more} columns further right`;
    return { text: table === "" ? "" : `Cells ${range}${without}\n\n${table}`, hidden: this.#hidden, isCut };
  }

  #readColumns({ children }: Element): void {
    for (const column of children.filter(isElement)) {
      if (!isTrue(attributeOf(column, "hidden"))) continue;
      const [from, to] = [Number(attributeOf(column, "min")) - 1, Number(attributeOf(column, "max")) - 1];
      this.#hiddenColumns.push({ from, to });
    }
  }

  #readRow(row: Element): void {
    const cells = new Map<number, string>();
    let [column, hidden] = [-1, 0];
    const isHidden = isTrue(attributeOf(row, "hidden"));
    for (const cell of row.children.filter(isElement)) {
      column = toColumn(attributeOf(cell, "r")) ?? column + 1;
      const at = column;
      this.#cells += 1;
      const text = this.#values.toText(cell).trim();
      if (text === "") continue;
      if (isHidden || this.#hiddenColumns.some(({ from, to }) => at >= from && at <= to)) hidden += 1;
      else cells.set(at, text);
      this.#size += text.length + 3;
    }
    this.#hidden += isHidden ? Math.min(hidden, 1) : hidden;
    if (cells.size === 0) return;
    for (const at of cells.keys()) this.#used.add(at);
    this.#rows.push([Number(attributeOf(row, "r")) || this.#rows.length + 1, cells]);
  }
}

/** "AB12" is in the column 27. */
function toColumn(reference: string | undefined): number | undefined {
  const [letters = ""] = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? "") ?? [];
  const number = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return number === 0 ? undefined : number - 1;
}

const toLetters = (column: number): string =>
  (column < 26 ? "" : toLetters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
