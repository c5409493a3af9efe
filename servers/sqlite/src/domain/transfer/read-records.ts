import { countOf, Fault } from "@suite/server-kit/domain";
import { type CsvField, type CsvMarks, parseCsv, type RecordCheck, toText } from "./csv-parser.ts";
import type { BadRow, Field, RowGroup } from "./field.ts";
import { parseJsonArray, parseJsonLines } from "./json-lines.ts";

interface FileRow {
  /** Counted from 1, including the header. */
  readonly record: number;
  readonly columns: readonly string[];
  /** Undefined while only the columns are known. */
  readonly fields?: readonly Field[];
}

export interface RecordOptions {
  /** `json` is one array. */
  readonly format: "csv" | "jsonl" | "json";
  /** Only for CSV. */
  readonly marks?: CsvMarks | undefined;
  readonly check?: RecordCheck | undefined;
  /** Names for the fields of a CSV record, in order; `""` skips one. */
  readonly columns?: readonly string[] | undefined;
  /** Whether the first record of a CSV file names the columns. */
  readonly header?: boolean | undefined;
  /** Skips and reports bad records instead of failing. */
  readonly skipBad?: boolean;
}

/** The rows of a file in portions that fit into one message, grouped by columns. */
export async function* readRecords(
  pieces: AsyncIterable<string>,
  options: RecordOptions,
): AsyncGenerator<readonly RowGroup[]> {
  let portion = new PortionBuilder();
  const read = options.format === "csv" ? readCsv : readJson;
  for await (const row of read(pieces, options)) {
    if ("reason" in row) {
      if (options.skipBad !== true) throw toBadFault(row);
      portion.addBad(row);
    } else portion.add(row);
    if (!portion.isFull) continue;
    yield portion.groups;
    portion = new PortionBuilder();
  }
  yield portion.groups;
}

const MOST_ROWS = 500;
const MOST_CHARACTERS = 256 * 1024;

class PortionBuilder {
  readonly groups: (RowGroup & { readonly rows: (readonly Field[])[] })[] = [];
  #rows = 0;
  #characters = 0;

  get isFull(): boolean {
    return this.#rows >= MOST_ROWS || this.#characters >= MOST_CHARACTERS;
  }

  addBad(row: BadRow): void {
    this.groups.push({ columns: [], from: row.record, rows: [], bad: [row] });
    this.#rows += 1;
  }

  add({ record, columns, fields }: FileRow): void {
    const last = this.groups.at(-1);
    const rows = fields === undefined ? [] : [fields];
    const isNext = last && !last.bad && record === last.from + last.rows.length;
    if (isNext && isSame(last.columns, columns)) last.rows.push(...rows);
    else {
      this.groups.push({ columns, from: record, rows });
      for (const name of columns) this.#characters += name.length;
    }
    if (fields === undefined) return;
    this.#rows += 1;
    for (const field of fields) this.#characters += lengthOf(field);
  }
}

const toBadFault = ({ record, reason, hint = "skip_bad_rows leaves such rows out." }: BadRow): Fault =>
  new Fault("invalid_input", reason, { details: { record }, hint });

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one === other || (one.length === other.length && one.every((name, at) => name === other[at]));

function lengthOf(field: Field): number {
  if (typeof field === "string") return field.length;
  return typeof field === "object" && field !== null ? JSON.stringify(field).length : 8;
}

const NAME_ALL = 'columns has to name every field of the file: "" is for one that is left out.';

async function* readCsv(
  pieces: AsyncIterable<string>,
  { marks, check, columns: given, header = true, skipBad = false }: RecordOptions,
): AsyncGenerator<FileRow | BadRow> {
  let names: readonly string[] | undefined = header ? undefined : given;
  let number = 0;
  for await (const record of parseCsv(pieces, marks)) {
    number += 1;
    if (names === undefined) {
      names = given ?? (header ? record.map(toColumnName) : record.map((_, at) => `column${at + 1}`));
      yield { record: header ? number + 1 : number, columns: names.filter((name) => name !== "") };
      if (header) continue;
    }
    // An empty line, as editors leave at the end. In a file with a single column it is NULL.
    if (record.length === 1 && record[0] === null && names.length > 1) continue;
    if (record.length !== names.length) {
      const reason = `Record ${number} has ${countOf(record.length, "field")}, ${names.length} were expected.`;
      yield { record: number, reason, ...(given && { hint: NAME_ALL }) };
      continue;
    }
    // Spreadsheets may end with such rows. Without skipBad they are imported, as an exported row may be all NULL.
    if (skipBad && record.every((field) => field === null)) {
      yield { record: number, reason: `Record ${number} has nothing but empty fields.` };
      continue;
    }
    const kept = names;
    const fields = record.filter((_, at) => kept[at] !== "");
    check?.(record, kept, number);
    yield { record: number, columns: kept.filter((name) => name !== ""), fields };
  }
  if (number === 0) {
    throw new Fault("invalid_input", "The file is empty: its first line names the columns.");
  }
}

function toColumnName(field: CsvField, at: number): string {
  const name = toText(field);
  if (name.trim() !== "") return name;
  throw new Fault("invalid_input", `Column ${at + 1} of the first line has no name.`, { hint: NAME_ALL });
}

/** A column that is missing in an object gets its default. */
async function* readJson(
  pieces: AsyncIterable<string>,
  { format }: RecordOptions,
): AsyncGenerator<FileRow | BadRow> {
  const parse = format === "json" ? parseJsonArray : parseJsonLines;
  for await (const object of parse(pieces)) {
    if ("reason" in object) {
      yield object;
      continue;
    }
    const { record, values } = object;
    yield { record, columns: Object.keys(values), fields: Object.values(values).map(toField) };
  }
}

/** JSON has no infinity: 1e999 is read as one, and would be null in a message to another process. */
const toField = (value: Field): Field =>
  typeof value === "number" && !Number.isFinite(value) ? { $real: String(value) } : value;
