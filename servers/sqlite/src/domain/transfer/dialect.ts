import { CsvParser, type CsvField, type CsvMarks } from "./csv-parser.ts";

/** What CSV files differ in. */
export interface Dialect extends CsvMarks {
  /** The mark before the fraction of a number; with a comma, dots group thousands. */
  readonly decimal: "." | ",";
}

const DELIMITERS = [",", ";", "\t", "|"];
const MOST_RECORDS = 20;
const DECIMAL_COMMA = /^\s*[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+\s*$/;

/** From the beginning of a file, as far as the caller does not say it. */
export function guessDialect(start: string, given: Partial<Dialect>): Dialect {
  const quote = given.quote ?? guessQuote(start);
  const delimiter = given.delimiter ?? guessDelimiter(start, quote);
  const values = recordsOf(start, { delimiter, quote }).slice(1).flat().map(toText);
  const hasCommas = delimiter !== "," && values.some((value) => DECIMAL_COMMA.test(value));
  return { delimiter, quote, decimal: given.decimal ?? (hasCommas ? "," : ".") };
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

/** The last one may be cut, and is left out where there are others. */
function recordsOf(start: string, marks: CsvMarks): readonly CsvField[][] {
  const parser = new CsvParser(marks);
  const records: CsvField[][] = [];
  try {
    for (const record of parser.take(start)) {
      records.push(record);
      if (records.length >= MOST_RECORDS) return records;
    }
    if (records.length === 0) records.push(...parser.end());
  } catch {
    // Not a file with these marks.
  }
  return records.filter((record) => record.length > 1 || record[0] !== null);
}

const toText = (field: CsvField): string =>
  field === null ? "" : typeof field === "string" ? field : field.$bare;
