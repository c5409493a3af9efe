import { readdirSync } from "node:fs";

import { countOf, Fault, type PathGuard, type StopSignal, TimeSlices } from "@suite/server-kit/domain";

import type { DatabaseProcess, TaskOptions } from "./engine/database-process.ts";
import { createGuessCheck, type CsvDialect, guessDelimiters, guessDialect } from "./transfer/csv-parser.ts";
import { guessTypes, type MixedColumn } from "./transfer/field.ts";
import type { Portion } from "./protocol/statements.ts";
import { formatOf, IMPORT_FORMATS } from "./transfer/format.ts";
import { isJsonArray } from "./transfer/json-lines.ts";
import { readRecords } from "./transfer/read-records.ts";
import { TextFile } from "./transfer/text-file.ts";
import type { Imported, ImportArgs } from "./protocol/tasks.ts";

/** The caller's arguments; what is missing is guessed from the file. */
export interface FileImport extends Omit<ImportArgs, "decimal" | "create"> {
  readonly path: string;
  /** Whether to create the table. */
  readonly create: boolean;
  readonly encoding: string | undefined;
  readonly format: ImportFormat | undefined;
  readonly dialect: GivenDialect;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean | undefined;
}

type ImportFormat = (typeof IMPORT_FORMATS)[number];
type GivenDialect = { readonly [Name in keyof CsvDialect]: CsvDialect[Name] | undefined };

export interface ImportedFile extends Imported {
  /** The encoding that was used, and for CSV the dialect. */
  readonly readAs: { readonly encoding: string } & Partial<CsvDialect>;
}

const NO_ROWS: AsyncIterable<Portion> = (async function* () {})();

/** Imports all rows of a file, or none. */
export async function importFile(
  engine: DatabaseProcess,
  guard: PathGuard,
  asked: FileImport,
  signal: StopSignal,
  onProgress: NonNullable<TaskOptions["onProgress"]>,
): Promise<ImportedFile> {
  const { path, header, columns, table, create, dryRun, skipBad, author } = asked;
  const file = openListed(guard, () => new TextFile(guard, path, asked.encoding));
  try {
    const format = asked.format ?? formatOfImport(path);
    if (columns && format !== "csv")
      throw new Fault("invalid_input", "columns is for CSV: each line of JSON names its own.");
    const isArray = format === "jsonl" && isJsonArray(file.peek());
    const given = requireDialect(asked.dialect);
    const dialect = format === "csv" ? guessDialect(file.peek(), given) : undefined;
    const check = dialect && createGuessCheck(file.peek(), dialect, given);
    const read = (): ReturnType<typeof readRecords> =>
      readRecords(inSlices(file, new TimeSlices(signal)), {
        format: isArray ? "json" : format,
        skipBad,
        marks: dialect,
        check,
        columns,
        header,
      });
    const decimal = dialect?.decimal ?? ".";
    let looked = 0;
    let mixed: readonly MixedColumn[] = [];
    const importRows = (input: AsyncIterable<Portion>, args: Partial<ImportArgs>): Promise<Imported> =>
      engine.task("import", { table, dryRun, skipBad, decimal, author, ...args }, signal, {
        writes: true,
        // Runs in the second process, so that queries are not blocked.
        isLong: true,
        input,
        onProgress: (progress) => onProgress({ ...progress, done: progress.done + looked }),
      });
    const importAll = async (): Promise<Imported> => {
      if (!create) return importRows(read(), {});
      // Fail early if the table cannot be created, before reading the whole file.
      await importRows(NO_ROWS, { dryRun: true, create: [] });
      const guessed = await guessTypes(read(), decimal, new TimeSlices(signal), (rows) => {
        looked = rows;
        onProgress({ done: rows, message: `${countOf(rows, "row")} looked at` });
      });
      mixed = guessed.mixed;
      return importRows(read(), { create: guessed.types });
    };
    const imported = await importAll().catch((thrown: unknown) => {
      throw dialect ? withHeader(thrown, file.peek(), dialect) : thrown;
    });
    return {
      ...imported,
      mixed: [...mixed, ...imported.mixed],
      readAs: { encoding: file.encoding, ...dialect },
    };
  } finally {
    file.close();
  }
}

/** Yields to other calls between pieces: there may be many before the first row. */
async function* inSlices(pieces: AsyncIterable<string>, slices: TimeSlices): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece;
    await slices.look();
  }
}

/** .tsv and .txt files are CSV in another dialect. An array is read as lines of JSON are. */
function formatOfImport(path: string): ImportFormat {
  if (/\.(tsv|txt)$/i.test(path)) return "csv";
  return /\.json$/i.test(path) ? "jsonl" : formatOf(path, IMPORT_FORMATS);
}

const requireDialect = ({ delimiter, quote, decimal }: GivenDialect): Partial<CsvDialect> => ({
  ...(delimiter !== undefined && { delimiter: requireMark(delimiter, "delimiter") }),
  ...(quote !== undefined && { quote: requireMark(quote, "quote") }),
  ...(decimal !== undefined && { decimal }),
});

function requireMark(given: string, name: string): string {
  const mark = given === "\\t" || given === "tab" ? "\t" : given;
  if (/^(?:\t|[^\s\w])$/.test(mark)) return mark;
  throw new Fault("invalid_input", `${name} must be one character that is not a letter, digit or space.`);
}

/** If the file does not exist, the error lists the files that do. */
function openListed(guard: PathGuard, open: () => TextFile): TextFile {
  try {
    return open();
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== "not_found") throw thrown;
    const files = listFiles(guard);
    throw new Fault("not_found", thrown.message, {
      hint:
        files.length === 0
          ? "There are no files to import."
          : `There are: ${files.map((name) => JSON.stringify(name)).join(", ")}.`,
      cause: thrown,
    });
  }
}

const MOST_LISTED = 20;

/** Files that may have been meant. */
function listFiles({ roots }: PathGuard): readonly string[] {
  const files = roots.flatMap((root) =>
    readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map(({ name }) => name),
  );
  return files.toSorted().slice(0, MOST_LISTED);
}

const LONGEST_HEADER = 300;

/** Adds the first line of the file to the error: it explains most failures. */
function withHeader(thrown: unknown, start: string, { delimiter, quote }: CsvDialect): unknown {
  if (!(thrown instanceof Fault) || (thrown.code !== "not_found" && thrown.code !== "invalid_input"))
    return thrown;
  const [header = ""] = start.split(/[\r\n]/, 1);
  const likely = guessDelimiters(start, quote);
  const better = likely.includes(delimiter) ? undefined : likely[0];
  const { code, message, hint, details } = thrown;
  const about = `The file's header is ${JSON.stringify(header.slice(0, LONGEST_HEADER))}, read with the delimiter ${JSON.stringify(delimiter)}${better === undefined ? "" : ` (it is probably ${JSON.stringify(better)})`} and the quote ${JSON.stringify(quote)}.`;
  return new Fault(code, message, {
    hint: hint === undefined ? about : `${hint} ${about}`,
    details,
    cause: thrown,
  });
}
