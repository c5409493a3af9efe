import { Fault, type TimeSlices } from "@suite/server-kit/domain";
import { cite } from "../values/cite.ts";
import type { SqlValue } from "../values/cell.ts";
import { type Param, toSqlValue } from "../values/params.ts";

/** A value of a file: as JSON has it, or as CSV has it without quotes, which could be several things. */
export type Field = Param | { readonly $bare: string };

/** As many values as SQLite takes for one statement. */
export const MOST_FIELDS = 32_766;

/** Rows with the same columns, one record after the other. */
export interface RowGroup {
  readonly columns: readonly string[];
  /** The number of its first record: from 1, the header included. */
  readonly from: number;
  readonly rows: readonly (readonly Field[])[];
  /** Records that are none, where those are to be left out. */
  readonly bad?: readonly BadRow[];
}

export interface BadRow {
  /** From 1, the header included. */
  readonly record: number;
  readonly reason: string;
}

/** Text that can be taken for something else: a number, or a blob as SQL writes it. */
export const isAmbiguous = (text: string): boolean => /^(?:[-+.\d]|x')/i.test(text);

const BLOB = /^x'((?:[0-9a-f]{2})*)'$/i;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * The value that a column is to be given. Text columns keep bare fields as they are written; elsewhere what is written as
 * this server writes numbers is one. The rest is SQLite's to convert.
 */
export function toStoredValue(
  given: Field,
  affinity: Affinity,
  column: string,
  decimal: "." | "," = ".",
): SqlValue {
  const field = decimal === "," && NUMBERS.has(affinity) ? fromDecimalComma(given) : given;
  if (typeof field !== "object" || field === null) return toSqlValue(field, column);
  if (!("$bare" in field)) return toSqlValue(requireForm(field, column), column);
  const text = field.$bare;
  const hex = BLOB.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex");
  if (affinity === "TEXT") return text;
  if (INTEGER.test(text)) return toInteger(text, affinity, column);
  return toRealText(Number(text)) === text ? Number(text) : text;
}

const NUMBERS = new Set<string>(["INTEGER", "REAL", "NUMERIC"]);
const LOCAL_NUMBER = /^\s*([-+]?)([1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,(\d+))?\s*$/;

/** `1.105,50`, with or without quotes. */
function fromDecimalComma(field: Field): Field {
  const text = textOf(field);
  const [, sign, whole, fraction] = (text === undefined ? null : LOCAL_NUMBER.exec(text)) ?? [];
  if (whole === undefined) return field;
  const digits = `${sign === "-" ? "-" : ""}${whole.replaceAll(".", "")}`;
  return fraction === undefined ? { $bare: digits } : Number(`${digits}.${fraction}`);
}

function textOf(field: Field): string | undefined {
  if (typeof field === "string") return field;
  return typeof field === "object" && field !== null && "$bare" in field ? field.$bare : undefined;
}

export type ColumnTypes = readonly (readonly [column: string, type: string])[];

/** A column that is text for a few values such as this one, among more numbers. */
export interface MixedColumn {
  readonly name: string;
  readonly value: string;
  /** The first that has one, from 1, the header included. */
  readonly record: number;
}

interface GuessedColumns {
  readonly types: ColumnTypes;
  readonly mixed: readonly MixedColumn[];
}

/** What the columns of a file would be declared as, by all of its rows: the last may be the first that is no number. */
export async function guessTypes(
  portions: AsyncIterable<readonly RowGroup[]>,
  decimal: "." | ",",
  slices: TimeSlices,
  onRows: (count: number) => void,
): Promise<GuessedColumns> {
  const found = new Map<string, ColumnGuess>();
  let count = 0;
  for await (const groups of portions) {
    for (const { columns, from, rows } of groups) {
      // The first ones make the table.
      if (found.size === 0) for (const column of columns) found.set(column, new ColumnGuess());
      for (const [at, column] of columns.entries()) {
        const guess = found.get(column);
        for (const [row, { [at]: field = null }] of rows.entries())
          if (field !== null) guess?.add(field, typeOf(field, decimal), from + row);
      }
      count += rows.length;
    }
    onRows(count);
    await slices.look();
  }
  return {
    types: [...found].map(([name, guess]) => [name, guess.type]),
    mixed: [...found].flatMap(([name, { word }]) => (word ? [{ name, ...word }] : [])),
  };
}

const LONGEST_WORD = 60;

class ColumnGuess {
  readonly #types = new Set<string>();
  #word: Omit<MixedColumn, "name"> | undefined;
  /** How many more values are numbers than are not. */
  #numbers = 0;

  add(field: Field, type: string, record: number): void {
    this.#types.add(type);
    this.#numbers += NUMBERS.has(type) ? 1 : -1;
    if (type !== "TEXT" || this.#word) return;
    // What has digits may be a code, such as 01550, and its column text for good reason.
    const value = textOf(field);
    if (value !== undefined && !/\d/.test(value))
      this.#word = { value: value.slice(0, LONGEST_WORD), record };
  }

  get word(): Omit<MixedColumn, "name"> | undefined {
    return this.#numbers > 0 ? this.#word : undefined;
  }

  get type(): string {
    const [first = "TEXT", ...others] = this.#types;
    if (![first, ...others].every((type) => NUMBERS.has(type))) return others.length === 0 ? first : "TEXT";
    if (!this.#types.has("REAL")) return "INTEGER";
    return this.#types.has("NUMERIC") ? "NUMERIC" : "REAL";
  }
}

/** NUMERIC where a column of reals would round it. */
const typeOfInteger = (text: string): string => (Number.isSafeInteger(Number(text)) ? "INTEGER" : "NUMERIC");

function typeOf(given: Field, decimal: "." | ","): string {
  const field = decimal === "," ? fromDecimalComma(given) : given;
  if (typeof field === "boolean") return "INTEGER";
  if (typeof field === "number") return Number.isInteger(field) && field === given ? "INTEGER" : "REAL";
  if (typeof field !== "object" || field === null) return "TEXT";
  if ("$int" in field) return typeOfInteger(field.$int);
  if ("$real" in field) return "REAL";
  if (!("$bare" in field)) return "$blob" in field ? "BLOB" : "TEXT";
  if (BLOB.test(field.$bare)) return "BLOB";
  const text = field.$bare;
  if (INTEGER.test(text) && text.length <= 20 && hasRoom(BigInt(text))) return typeOfInteger(text);
  const isReal = /^-?(?:0|[1-9]\d*)?\.\d+(?:e[-+]?\d+)?$/i.test(text) || toRealText(Number(text)) === text;
  return isReal ? "REAL" : "TEXT";
}

/** A file may have any JSON in it. */
function requireForm<T extends object>(field: T, column: string): T {
  const [[form, value] = ["", undefined]] = Object.entries(field);
  const isForm = /^\$(int|real|escaped|blob)$/.test(form) && (typeof value === "string" || form === "$real");
  if (isForm) return field;
  throw new Fault("invalid_input", `${cite(column)} cannot hold ${JSON.stringify(field).slice(0, 80)}.`, {
    hint: 'JSON in a column is text: give it as a string. Exact values are {"$int": "…"}, {"$real": "…"}, {"$blob": "base64"}.',
  });
}

const hasRoom = (integer: bigint): boolean => integer >= LEAST && integer <= MOST;

function toInteger(text: string, affinity: Affinity, column: string): SqlValue {
  const integer = BigInt(text);
  if (hasRoom(integer)) return integer;
  if (affinity === "NONE") return text;
  // SQLite would make it a real, and lose digits.
  throw new Fault(
    "invalid_input",
    `${text.slice(0, 80)} has too many digits for ${cite(column)}: integers have 64 bits.`,
  );
}

/** So that it reads back as a real, to the last digit. A number beyond all others is how SQL writes infinity. */
export function toRealText(real: number): string {
  if (!Number.isFinite(real)) return real > 0 ? "9e999" : real < 0 ? "-9e999" : "";
  const text = Object.is(real, -0) ? "-0" : String(real);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** How a column turns what it is given into what it keeps. */
export type Affinity = "TEXT" | "NUMERIC" | "INTEGER" | "REAL" | "NONE";

/** By SQLite's own rules, in their order. */
const RULES: readonly (readonly [RegExp, Affinity])[] = [
  [/INT/i, "INTEGER"],
  [/CHAR|CLOB|TEXT/i, "TEXT"],
  [/BLOB|^$/i, "NONE"],
  [/REAL|FLOA|DOUB/i, "REAL"],
];

export function affinityOf(type: string, isStrict: boolean): Affinity {
  if (isStrict && /^any$/i.test(type)) return "NONE";
  return RULES.find(([pattern]) => pattern.test(type))?.[1] ?? "NUMERIC";
}
