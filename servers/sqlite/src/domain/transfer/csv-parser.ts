import { Fault } from "@suite/server-kit/domain";
import { isAmbiguous, MOST_FIELDS } from "./field.ts";

/** null is an empty field without quotes, as spreadsheets and SQLite's own shell write NULL; "" is an empty text. */
export type CsvField = string | { readonly $bare: string } | null;

/** Characters, marks included. */
const LONGEST_RECORD = 64 * 1024 * 1024;

/** The two characters that CSV files differ in. */
export interface CsvMarks {
  readonly delimiter: string;
  readonly quote: string;
}

const STANDARD: CsvMarks = { delimiter: ",", quote: '"' };

/** Records of RFC 4180 out of text that comes in pieces: quotes may hold commas, newlines and doubled quotes. */
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
  /** A quote inside quotes is an end or one half of a quote, which the next character tells. */
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
      // Anywhere but at the start of a field, a quote is a character like any other.
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
    // Doubled ones with the text around them: a field may have millions, and none may cost a string of its own.
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

  /** Whether a record is complete. */
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

/** What CSV files differ in. */
export interface CsvDialect extends CsvMarks {
  /** The mark before the fraction of a number; with a comma, dots group thousands. */
  readonly decimal: "." | ",";
}

const DELIMITERS = [",", ";", "\t", "|"];
const MOST_RECORDS = 20;

/** From the beginning of a file, as far as the caller does not say it. */
export function guessDialect(start: string, given: Partial<CsvDialect>): CsvDialect {
  const quote = given.quote ?? guessQuote(start);
  const delimiter = given.delimiter ?? guessDelimiter(start, quote);
  return { delimiter, quote, decimal: given.decimal ?? guessDecimal(start, { delimiter, quote }) };
}

/** Three digits behind a comma may be thousands, unless a zero or groups with dots are before it. */
const DECIMAL_COMMA = /^[-+]?(?:(?:0|[1-9]\d{0,2}(?:\.\d{3})+),\d+|\d+,(?!\d{3}$)\d+)$/;
/** A dot that groups no thousands, or a second comma. */
const OTHER_MARKS = /^[-+]?(?![1-9]\d{0,2}(?:\.\d{3})+$)(?:[\d,]*\.\d+(?:e[-+]?\d+)?|\d+(?:,\d+){2,})$/i;

/** A comma only where nothing speaks against it: a number that is not understood stays text, another one would be wrong. */
function guessDecimal(start: string, marks: CsvMarks): CsvDialect["decimal"] {
  if (marks.delimiter === ",") return ".";
  const values = recordsOf(start, marks, Infinity)
    .slice(1)
    .flatMap((record) => record.map((field) => toText(field).trim()));
  const has = (pattern: RegExp): boolean => values.some((value) => pattern.test(value));
  return has(DECIMAL_COMMA) && !has(OTHER_MARKS) ? "," : ".";
}

export type RecordCheck = (record: readonly CsvField[], number: number) => void;

/** Guesses that were made from the beginning of the file, what contradicts each, and what to do then. */
const CONTRADICTIONS = [
  [
    "decimal",
    ",",
    OTHER_MARKS,
    'Give decimal: "," if numbers are written 1,5 (this is text then), else ".".',
  ],
  ["quote", "'", /^"/, 'Give quote: "\'" if it encloses fields (this is text then), else "\\"".'],
] as const;

/** For the rest of the file: fails at a field that would be read wrong if a guess was wrong. */
export function createGuessCheck(dialect: CsvDialect, given: Partial<CsvDialect>): RecordCheck | undefined {
  const guesses = CONTRADICTIONS.filter(
    ([name, mark]) => given[name] === undefined && dialect[name] === mark,
  );
  if (guesses.length === 0) return undefined;
  return (record, number) => {
    for (const field of record) {
      const text = toText(field).trim();
      const [name, mark, , hint] = guesses.find(([, , contradiction]) => contradiction.test(text)) ?? [];
      if (name === undefined) continue;
      const found = `Record ${number} has ${JSON.stringify(text.slice(0, 80))}`;
      const reason = `which does not go with the ${name} ${JSON.stringify(mark)} that the file begins with`;
      throw new Fault("invalid_input", `${found}, ${reason}.`, {
        hint: `Nothing was imported. ${hint}`,
        details: { record: number },
      });
    }
  };
}

/** The one that cuts the most records into the same number of fields, and into the most. */
function guessDelimiter(start: string, quote: string): string {
  const scores = DELIMITERS.map((delimiter) => {
    const counts = recordsOf(start, { delimiter, quote }).map(({ length }) => length);
    const [fields = 0] = counts;
    const alike = counts.filter((count) => count === fields).length / Math.max(1, counts.length);
    return { delimiter, score: fields < 2 ? 0 : alike * 100 + Math.min(fields, 50) };
  });
  const [best] = scores.toSorted((one, other) => other.score - one.score);
  return best && best.score > 0 ? best.delimiter : ",";
}

const guessQuote = (start: string): string =>
  !start.includes('"') && /(?:^|[,;\t|\n])'[^'\n]*'(?:[,;\t|\r\n]|$)/.test(start) ? "'" : '"';

/** The last one may be cut, and is left out where there are others below the names. */
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
    // Not a file with these marks.
  }
  return records.filter((record) => record.length > 1 || record[0] !== null);
}

const toText = (field: CsvField): string =>
  field === null ? "" : typeof field === "string" ? field : field.$bare;
