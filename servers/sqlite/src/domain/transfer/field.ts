import { Fault, type TimeSlices } from "@suite/server-kit/domain";
import { cite } from "../values/cite.ts";
import { has64Bits, type SqlValue } from "../values/cell.ts";
import { type Param, toSqlValue } from "../values/params.ts";

/** A value of a file: from JSON, or an unquoted CSV field or long integer (`$bare`), whose type is not known yet. */
export type Field = Param | { readonly $bare: string };

/** The most values that SQLite accepts in one statement. */
export const MOST_FIELDS = 32_766;

/** Of all columns of a file together. */
const MOST_NAME_CHARACTERS = 1_000_000;

/** Consecutive rows with the same columns. */
export interface RowGroup {
  readonly columns: readonly string[];
  /** The number of the first record, counted from 1, including the header. */
  readonly from: number;
  readonly rows: readonly (readonly Field[])[];
  /** Bad records that were skipped. */
  readonly bad?: readonly BadRow[];
}

export interface BadRow {
  /** Counted from 1, including the header. */
  readonly record: number;
  readonly reason: string;
  /** What to do about it, if not to leave it out. */
  readonly hint?: string;
}

/** Whether text could be read as a number, or as a blob literal of SQL. */
export const isAmbiguous = (text: string): boolean => /^(?:[-+.\d]|x')/i.test(text);

const BLOB = /^x'((?:[0-9a-f]{2})*)'$/i;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

/**
 * The value to store in a column. Text columns keep bare fields unchanged; in others, text in the form in which this server
 * writes numbers becomes a number. SQLite converts the rest.
 */
export function toStoredValue(
  given: Field,
  affinity: Affinity,
  column: string,
  decimal: "." | "," = ".",
): SqlValue {
  const field = decimal === "," && NUMBERS.has(affinity) ? fromDecimalComma(given) : given;
  if (typeof field !== "object" || field === null || !("$bare" in field))
    return toSqlValue(field, cite(column));
  const text = field.$bare;
  const hex = BLOB.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex");
  if (affinity === "TEXT") return text;
  if (INTEGER.test(text)) return toInteger(text, affinity, column);
  return toRealText(Number(text)) === text ? Number(text) : text;
}

const NUMBERS = new Set<string>(["INTEGER", "REAL", "NUMERIC"]);
const LOCAL_NUMBER = /^\s*([-+]?)([1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,(\d+))?\s*$/;

/** Converts `1.105,50`, with or without quotes. */
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

/** A column that is mostly numbers, but became TEXT because of words such as `value`. */
export interface MixedColumn {
  readonly name: string;
  readonly value: string;
  /** The first record with such a word, counted from 1, including the header. */
  readonly record: number;
}

interface GuessedColumns {
  readonly types: ColumnTypes;
  readonly mixed: readonly MixedColumn[];
}

/** Guesses column types from all rows: the last row may be the first with a value that is not a number. */
export async function guessTypes(
  portions: AsyncIterable<readonly RowGroup[]>,
  decimal: "." | ",",
  slices: TimeSlices,
  onRows: (count: number) => void,
): Promise<GuessedColumns> {
  const found = new Map<string, ColumnGuess>();
  let [count, characters] = [0, 0];
  for await (const groups of portions) {
    for (const { columns, from, rows } of groups) {
      for (const [at, column] of columns.entries()) {
        const name = column.trim();
        const key = toLower(name);
        const guess = found.get(key) ?? new ColumnGuess(name);
        if (!found.has(key)) characters += name.length;
        found.set(key, guess);
        for (const [row, { [at]: field = null }] of rows.entries())
          if (field !== null) guess.add(field, typeOf(field, decimal), from + row);
      }
      count += rows.length;
      // Lines of JSON may have other names each.
      if (found.size > MOST_FIELDS)
        throw new Fault("too_large", `The file has more than ${MOST_FIELDS} columns.`);
      if (characters > MOST_NAME_CHARACTERS)
        throw new Fault("too_large", "The names of the file's columns are too long.");
    }
    onRows(count);
    await slices.look();
  }
  return {
    types: [...found.values()].map(({ name, type }) => [name, type]),
    mixed: [...found.values()].flatMap(({ name, word }) => (word ? [{ name, ...word }] : [])),
  };
}

/** SQLite ignores the case of ASCII letters only. */
export const toLower = (name: string): string =>
  name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

const LONGEST_WORD = 60;

const NUMBER = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** Whether a column keeps a value as a number. */
export const isNumeric = (value: SqlValue, affinity: Affinity): boolean =>
  NUMBERS.has(affinity) && (typeof value === "string" ? NUMBER.test(value) : typeof value !== "object");

/** $1,200.50 and 31/12/2024: texts that neither add up nor sort. */
const AMOUNT_OR_DATE =
  /^[-+(]?\s?(?:[$€£¥]\s?\d[\d.,']*\)?|\d[\d.,']*\s?[$€£¥%]\)?|\d{1,2}\/\d{1,2}\/(?:\d{2}|\d{4})|\d{1,2}\.\d{1,2}\.\d{4})$/;
const isAmountOrDate = (text: string): boolean =>
  text.length <= LONGEST_WORD && AMOUNT_OR_DATE.test(text.trim());

/** What a column for numbers keeps as text. With digits, it may be a code. */
export const wordAmongNumbers = (value: SqlValue, affinity: Affinity): string | undefined =>
  NUMBERS.has(affinity) && typeof value === "string" && (/^\D+$/.test(value) || isAmountOrDate(value))
    ? value.slice(0, LONGEST_WORD)
    : undefined;

class ColumnGuess {
  readonly name: string;
  readonly #types = new Set<string>();
  #word: Omit<MixedColumn, "name"> | undefined;
  #amount: Omit<MixedColumn, "name"> | undefined;
  /** The number of numeric values minus that of others. */
  #numbers = 0;

  constructor(name: string) {
    this.name = name;
  }

  add(field: Field, type: string, record: number): void {
    this.#types.add(type);
    this.#numbers += NUMBERS.has(type) ? 1 : -1;
    if (type !== "TEXT" || (this.#word && this.#amount)) return;
    // A value with digits may be a code, such as 01550, so that its column is rightly TEXT.
    const value = textOf(field);
    if (value === undefined) return;
    if (!/\d/.test(value)) this.#word ??= { value: value.slice(0, LONGEST_WORD), record };
    else if (isAmountOrDate(value)) this.#amount ??= { value, record };
  }

  get word(): Omit<MixedColumn, "name"> | undefined {
    return this.#amount ?? (this.#numbers > 0 ? this.#word : undefined);
  }

  get type(): string {
    const [first = "TEXT", ...others] = this.#types;
    if (![first, ...others].every((type) => NUMBERS.has(type))) return others.length === 0 ? first : "TEXT";
    if (!this.#types.has("REAL")) return "INTEGER";
    return this.#types.has("NUMERIC") ? "NUMERIC" : "REAL";
  }
}

/** NUMERIC if a REAL column would round it. */
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
  if (INTEGER.test(text) && text.length <= 20 && has64Bits(BigInt(text))) return typeOfInteger(text);
  const isReal = /^-?(?:0|[1-9]\d*)?\.\d+(?:e[-+]?\d+)?$/i.test(text) || toRealText(Number(text)) === text;
  return isReal ? "REAL" : "TEXT";
}

function toInteger(text: string, affinity: Affinity, column: string): SqlValue {
  const integer = BigInt(text);
  if (has64Bits(integer)) return integer;
  if (affinity === "NONE") return text;
  // SQLite would convert it to a real, and lose digits.
  throw new Fault(
    "invalid_input",
    `${text.slice(0, 80)} has too many digits for ${cite(column)}: integers have 64 bits.`,
  );
}

/** Text that reads back as the same real. SQL has no literal for infinity, so a number out of range is used. */
export function toRealText(real: number): string {
  if (!Number.isFinite(real)) return real > 0 ? "9e999" : real < 0 ? "-9e999" : "";
  const text = Object.is(real, -0) ? "-0" : String(real);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** How a column converts values that are stored in it. */
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
