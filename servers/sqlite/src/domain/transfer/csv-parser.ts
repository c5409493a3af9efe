import { Fault } from "@suite/server-kit/domain";
import { isAmbiguous, MOST_FIELDS } from "./field.ts";

/** null is an empty unquoted field, as spreadsheets and SQLite's shell write NULL; "" is an empty quoted one. */
export type CsvField = string | { readonly $bare: string } | null;

/** In characters, including delimiters and quotes. */
const LONGEST_RECORD = 64 * 1024 * 1024;

/** The two characters that CSV files differ in. */
export interface CsvMarks {
  readonly delimiter: string;
  readonly quote: string;
}

const STANDARD: CsvMarks = { delimiter: ",", quote: '"' };

/** Parses RFC 4180 records from text in pieces. Quoted fields may contain delimiters, newlines and doubled quotes. */
export async function* parseCsv(
  pieces: AsyncIterable<string>,
  marks: CsvMarks = STANDARD,
): AsyncGenerator<CsvField[]> {
  const parser = new CsvParser(marks);
  for await (const piece of pieces) yield* parser.take(piece);
  yield* parser.end();
}

class CsvParser {
  readonly #delimiter: string;
  readonly #quote: string;
  readonly #end: RegExp;
  #record: CsvField[] = [];
  #field = "";
  #wasQuoted = false;
  #inQuotes = false;
  /** Set after a quote inside quotes: the next character tells whether it ends the field or is doubled. */
  #afterQuote = false;
  #afterReturn = false;
  #number = 1;
  #length = 0;

  constructor({ delimiter, quote }: CsvMarks) {
    this.#delimiter = delimiter;
    this.#quote = quote;
    this.#end = new RegExp(`[\\${delimiter}\\r\\n]`, "g");
  }

  *take(piece: string): Generator<CsvField[]> {
    for (let at = 0; at < piece.length;) {
      if (this.#inQuotes) {
        at = this.#takeQuoted(piece, at);
        continue;
      }
      if (this.#afterReturn && piece.charAt(at) === "\n") at += 1;
      this.#afterReturn = false;
      // A quote is special only at the start of a field.
      if (piece.charAt(at) === this.#quote && this.#field === "" && !this.#wasQuoted) {
        [this.#inQuotes, this.#wasQuoted] = [true, true];
        at += 1;
        continue;
      }
      this.#end.lastIndex = at;
      const end = this.#end.exec(piece)?.index ?? piece.length;
      this.#measure(end + 1 - at);
      this.#append(piece.slice(at, end));
      if (this.#takeEnd(piece.charAt(end))) yield this.#finish();
      at = end + 1;
    }
  }

  *end(): Generator<CsvField[]> {
    if (this.#inQuotes && !this.#afterQuote) throw this.#broken("ends inside quotes");
    if (this.#field !== "" || this.#wasQuoted || this.#record.length > 0) yield this.#finish();
  }

  #takeQuoted(piece: string, from: number): number {
    if (this.#afterQuote) {
      this.#afterQuote = false;
      if (piece.charAt(from) !== this.#quote) {
        this.#inQuotes = false;
        return from;
      }
      this.#field += this.#quote;
      return from + 1;
    }
    // Takes doubled quotes together with the text around them: a field may have millions, and a string for each would be costly.
    const quote = this.#quote;
    let end = piece.indexOf(quote, from);
    while (end !== -1 && piece.charAt(end + 1) === quote) end = piece.indexOf(quote, end + 2);
    this.#afterQuote = end !== -1;
    const text = piece.slice(from, end === -1 ? piece.length : end);
    this.#measure(text.length + 1);
    this.#field += text.split(quote + quote).join(quote);
    return end === -1 ? piece.length : end + 1;
  }

  #append(text: string): void {
    if (text === "") return;
    if (this.#wasQuoted) throw this.#broken("has text after a closing quote");
    this.#field += text;
  }

  /** Returns whether the record is complete. */
  #takeEnd(character: string): boolean {
    if (character === this.#delimiter) this.#endField();
    this.#afterReturn = character === "\r";
    return character === "\n" || character === "\r";
  }

  #endField(): void {
    if (this.#record.length >= MOST_FIELDS) throw this.#broken(`has more than ${MOST_FIELDS} fields`);
    const [text, wasQuoted] = [this.#field, this.#wasQuoted];
    this.#record.push(wasQuoted ? text : text === "" ? null : isAmbiguous(text) ? { $bare: text } : text);
    [this.#field, this.#wasQuoted] = ["", false];
  }

  #finish(): CsvField[] {
    this.#endField();
    const record = this.#record;
    [this.#record, this.#inQuotes, this.#afterQuote, this.#length] = [[], false, false, 0];
    this.#number += 1;
    return record;
  }

  #measure(length: number): void {
    this.#length += length;
    if (this.#length > LONGEST_RECORD) throw this.#broken("is too long");
  }

  #broken(what: string): Fault {
    return new Fault("invalid_input", `Record ${this.#number} of the CSV file ${what}.`, {
      details: { record: this.#number },
    });
  }
}

/** The marks that differ between CSV files. */
export interface CsvDialect extends CsvMarks {
  /** The decimal separator; with a comma, dots group thousands. */
  readonly decimal: "." | ",";
}

const DELIMITERS = [",", ";", "\t", "|"];
const MOST_RECORDS = 20;

/** Guesses what the caller does not give from the beginning of a file. Fails if that leaves two delimiters. */
export function guessDialect(start: string, given: Partial<CsvDialect>): CsvDialect {
  const quote = given.quote ?? guessQuote(start);
  const likely = given.delimiter === undefined ? guessDelimiters(start, quote) : [given.delimiter];
  if (likely.length > 1) {
    const choices = likely.map((delimiter) => JSON.stringify(delimiter)).join(" or ");
    throw new Fault("invalid_input", `Each record can be split at ${choices}.`, { hint: "Give delimiter." });
  }
  const marks = { delimiter: likely[0] ?? ",", quote };
  return { ...marks, decimal: given.decimal ?? (findCommaColumns(start, marks).size > 0 ? "," : ".") };
}

/** Three digits after a comma may be thousands, unless a zero or dot-separated groups come before it. */
const DECIMAL_COMMA = /^[-+]?(?:(?:0|[1-9]\d{0,2}(?:\.\d{3})+),\d+|\d+,(?!\d{3}$)\d+)$/;
/** A dot that does not group thousands, or several commas. */
const OTHER_MARKS = /^[-+]?(?![1-9]\d{0,2}(?:\.\d{3})+$)(?:[\d,]*\.\d+(?:e[-+]?\d+)?|\d+(?:,\d+){2,})$/i;
/** The dot may group thousands, or be the decimal mark. */
const EITHER_MARK = /^[-+]?[1-9]\d{0,2}\.\d{3}$/;

/** The columns in which a comma is the decimal mark: others may be lists. */
function findCommaColumns(start: string, marks: CsvMarks): ReadonlySet<number> {
  const [found, contradicted] = [new Set<number>(), new Set<number>()];
  const records = marks.delimiter === "," ? [] : recordsOf(start, marks, Infinity).slice(1);
  for (const record of records) {
    for (const [at, field] of record.entries()) {
      const text = toText(field).trim();
      if (DECIMAL_COMMA.test(text)) found.add(at);
      if (OTHER_MARKS.test(text)) contradicted.add(at);
    }
  }
  return new Set([...found].filter((at) => !contradicted.has(at)));
}

/** Columns named `""` are left out. */
export type RecordCheck = (record: readonly CsvField[], names: readonly string[], number: number) => void;

/** Fails at a field that contradicts a guess: a misread number would be wrong. */
export function createGuessCheck(
  start: string,
  dialect: CsvDialect,
  given: Partial<CsvDialect>,
): RecordCheck | undefined {
  const isGuess = (name: "decimal" | "quote", mark: string): boolean =>
    given[name] === undefined && dialect[name] === mark;
  const commas = isGuess("decimal", ",") ? findCommaColumns(start, dialect) : undefined;
  const hasQuote = isGuess("quote", "'");
  if (!commas && !hasQuote) return undefined;
  return (record, names, number) => {
    for (const [at, field] of record.entries()) {
      if (names[at] === "") continue;
      const text = toText(field).trim();
      if (hasQuote && text.startsWith('"'))
        throw toDoubt(text, number, `quote "'"`, `Give quote: "'" if it encloses fields, else "\\"".`);
      if (commas && (OTHER_MARKS.test(text) || (EITHER_MARK.test(text) && !commas.has(at))))
        throw toDoubt(text, number, 'decimal ","', 'Give decimal: "," if numbers are written 1,5, else ".".');
    }
  };
}

const toDoubt = (text: string, record: number, guess: string, hint: string): Fault =>
  new Fault(
    "invalid_input",
    `Record ${record} has ${JSON.stringify(text.slice(0, 80))}, which leaves the guessed ${guess} in doubt.`,
    { hint: `Nothing was imported. ${hint}`, details: { record } },
  );

/**
 * The delimiter that splits the most records into the same number of fields, and into more fields. Several if each of
 * them splits all records alike, and none through quotes.
 */
export function guessDelimiters(start: string, quote: string): readonly string[] {
  const readings = DELIMITERS.map((delimiter) => {
    const records = recordsOf(start, { delimiter, quote });
    const fields = records[0]?.length ?? 0;
    const alike = records.filter(({ length }) => length === fields).length / Math.max(1, records.length);
    const isClean =
      alike === 1 && fields > 1 && !records.flat().some((field) => toText(field).includes(quote));
    return { delimiter, isClean, score: fields < 2 ? 0 : alike * 100 + Math.min(fields, 50) };
  });
  const clean = readings.filter(({ isClean }) => isClean);
  const [best] = readings.toSorted((one, other) => other.score - one.score);
  return (clean.length > 1 ? clean : best && best.score > 0 ? [best] : []).map(({ delimiter }) => delimiter);
}

const CLOSED_FIELD = /(?:^|[,;\t|\r\n])'(?:[^'\r\n]|'')*'(?=[,;\t|\r\n]|$)/g;
const OPEN_FIELD = /(?:^|[,;\t|\r\n])'/;

/** A single quote only if it ends, in its line, every field that it begins: others may begin with an apostrophe. */
function guessQuote(start: string): string {
  const rest = start.replace(CLOSED_FIELD, "");
  // The last line may be incomplete.
  const lines = rest.slice(0, Math.max(rest.lastIndexOf("\n"), rest.lastIndexOf("\r")) + 1);
  return !start.includes('"') && rest !== start && !OPEN_FIELD.test(lines) ? "'" : '"';
}

/** The last record may be incomplete, and is left out if others follow the header. */
function recordsOf(start: string, marks: CsvMarks, most = MOST_RECORDS): readonly CsvField[][] {
  const parser = new CsvParser(marks);
  const records: CsvField[][] = [];
  try {
    for (const record of parser.take(start)) {
      records.push(record);
      if (records.length >= most) return records;
    }
    if (records.length < 2) records.push(...parser.end());
  } catch {
    // The text does not match these marks.
  }
  return records.filter((record) => record.length > 1 || record[0] !== null);
}

export const toText = (field: CsvField): string =>
  field === null ? "" : typeof field === "string" ? field : field.$bare;
