import { Fault } from "@suite/server-kit/domain";
import { type CsvField, parseCsv } from "./csv-parser.ts";
import type { Field, RowGroup } from "./field.ts";
import type { Format } from "./format.ts";
import { parseJsonLines } from "./json-lines.ts";

interface FileRow {
  readonly columns: readonly string[];
  readonly fields: readonly Field[];
}

const READERS: { readonly [format in Format]: (pieces: AsyncIterable<string>) => AsyncIterable<FileRow> } = {
  csv: readCsv,
  jsonl: readJsonLines,
};

/** The rows of a file in portions that fit into one message, those with the same columns together. */
export async function* readRecords(
  pieces: AsyncIterable<string>,
  format: Format,
): AsyncGenerator<readonly RowGroup[]> {
  let portion = new Portion();
  for await (const row of READERS[format](pieces)) {
    portion.add(row);
    if (!portion.isFull) continue;
    yield portion.groups;
    portion = new Portion();
  }
  yield portion.groups;
}

const MOST_ROWS = 500;
const MOST_CHARACTERS = 256 * 1024;

class Portion {
  readonly groups: { readonly columns: readonly string[]; readonly rows: (readonly Field[])[] }[] = [];
  #rows = 0;
  #characters = 0;

  get isFull(): boolean {
    return this.#rows >= MOST_ROWS || this.#characters >= MOST_CHARACTERS;
  }

  add({ columns, fields }: FileRow): void {
    const last = this.groups.at(-1);
    if (last && isSame(last.columns, columns)) last.rows.push(fields);
    else this.groups.push({ columns, rows: [fields] });
    this.#rows += 1;
    for (const field of fields) this.#characters += lengthOf(field);
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one === other || (one.length === other.length && one.every((name, at) => name === other[at]));

function lengthOf(field: Field): number {
  if (typeof field === "string") return field.length;
  return typeof field === "object" && field !== null ? JSON.stringify(field).length : 8;
}

async function* readCsv(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let columns: readonly string[] | undefined;
  let number = 0;
  for await (const record of parseCsv(pieces)) {
    number += 1;
    if (columns === undefined) {
      columns = record.map(toColumnName);
      continue;
    }
    // A line with nothing on it, as editors leave at the end. In a single column it is NULL.
    if (record.length === 1 && record[0] === null && columns.length > 1) continue;
    if (record.length !== columns.length) {
      throw new Fault(
        "invalid_input",
        `Record ${number} has ${record.length} fields, ${columns.length} were expected.`,
        {
          details: { record: number },
        },
      );
    }
    yield { columns, fields: record };
  }
  if (columns === undefined) {
    throw new Fault("invalid_input", "The file is empty: its first line names the columns.");
  }
}

function toColumnName(field: CsvField, at: number): string {
  if (typeof field === "string") return field;
  if (field !== null) return field.$bare;
  throw new Fault("invalid_input", `Column ${at + 1} of the first line has no name.`);
}

/** What a line leaves out keeps the column's own default. */
async function* readJsonLines(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  for await (const record of parseJsonLines(pieces)) {
    yield { columns: Object.keys(record), fields: Object.values(record) };
  }
}
