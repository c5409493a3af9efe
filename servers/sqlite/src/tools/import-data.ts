import { untrusted, type TextPart, type ToolContext } from "@suite/server-kit";
import { countOf, Fault, type PathGuard } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { Imported } from "../domain/worker/tasks/import.ts";
import type { NamedDatabase } from "../domain/databases.ts";
import { renderTable } from "../domain/render.ts";
import type { Dialect } from "../domain/transfer/csv-parser.ts";
import { formatOf, IMPORT_FORMATS } from "../domain/transfer/format.ts";
import type { TextFile } from "../domain/transfer/text-file.ts";
import type { SqliteState } from "../state.ts";
import { listFiles, requireExchange, toProgress } from "./exchange.ts";
import { toNote } from "./page.ts";
import { DatabaseName, DryRun, Table, TABLE_ALIASES } from "./schemas.ts";
import { databaseTargets } from "./writing.ts";

const Input = v.strictObject({
  path: v.string(),
  table: Table,
  create: v.optional(v.boolean()),
  columns: v.optional(v.pipe(v.array(v.string()), v.description('By place; "" leaves one out'))),
  header: v.optional(v.boolean()),
  delimiter: v.optional(v.string()),
  quote: v.optional(v.string()),
  decimal: v.optional(v.picklist([".", ","])),
  encoding: v.optional(v.string()),
  format: v.optional(v.picklist(IMPORT_FORMATS)),
  skip_bad_rows: v.optional(v.boolean()),
  dry_run: DryRun,
  database: DatabaseName,
});
type ImportInput = v.InferOutput<typeof Input>;

export const importData = defineTool({
  name: "import_data",
  version: 3,
  title: "Import a file",
  description:
    "Adds the rows of a CSV or JSON lines file to a table, or a new one (create): all or none. CSV settings that are not given are detected; dry_run shows them.",
  // A table may replace rows on conflict, and its triggers may delete others.
  effects: "destructive",
  touches: "rows of the database, and the schema with create",
  group: "files",
  formerly: ["import_csv", "load_csv"],
  aliases: { ...TABLE_ALIASES, path: ["file_path", "file"] },
  input: schema(Input),
  output: schema(
    v.object({
      database: v.string(),
      table: v.string(),
      rows: Count,
      read_as: v.object({
        encoding: v.string(),
        delimiter: v.exactOptional(v.string()),
        quote: v.exactOptional(v.string()),
        decimal: v.exactOptional(v.string()),
      }),
      columns: v.array(v.object({ name: v.string(), type: v.string() })),
      sample: v.exactOptional(v.array(v.array(v.any()))),
      ignored_columns: v.exactOptional(v.array(v.string())),
      skipped: v.exactOptional(Count),
      reasons: v.exactOptional(v.array(v.object({ record: Count, reason: v.string() }))),
      changed: Changed,
    }),
  ),
  untrusted: ["columns", "sample", "ignored_columns", "reasons"],
  targets: databaseTargets,
  async run(input, context) {
    const target = context.state.databases.get(input.database);
    const guard = requireExchange(context.state);
    const { TextFile: File } = await import("../domain/transfer/text-file.ts");
    const file = openListed(guard, () => new File(guard, input.path, input.encoding));
    try {
      const format =
        input.format ?? (/\.(tsv|txt)$/i.test(input.path) ? "csv" : formatOf(input.path, IMPORT_FORMATS));
      const { guessDialect } = await import("../domain/transfer/csv-parser.ts");
      const dialect = format === "csv" ? guessDialect(file.peek(), toGiven(input)) : undefined;
      const done = await read(target, file, input, dialect, context);
      return toOutput(target, done, file, dialect, input.dry_run === true);
    } finally {
      file.close();
    }
  },
  text: (
    { table, rows, columns, sample, ignored_columns: ignored = [], reasons = [], read_as: how },
    { dry_run: isDryRun },
  ): TextPart[] => {
    const facts = Object.entries(how).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    const heading = `${countOf(rows, "row")} ${isDryRun ? "could be" : rows === 1 ? "was" : "were"} added to ${JSON.stringify(table)} (${facts.join(", ")})`;
    const named = columns.map(({ name, type }) => ({ name: `${name} ${type}`.trim(), type }));
    const parts = [
      sample ? renderTable({ columns: named, rows: sample }) : named.map(({ name }) => name).join(", "),
      ...(ignored.length === 0 ? [] : [`ignored: ${ignored.join(", ")}`]),
      ...reasons.map(({ record, reason }) => `skipped ${record}: ${reason}`),
    ];
    return [`${heading}:`, untrusted(parts.join("\n"))];
  },
  note: ({ skipped = 0, ignored_columns: ignored }) =>
    toNote([
      ...(skipped > 0 ? [`${countOf(skipped, "row")} skipped.`] : []),
      ...(ignored === undefined ? [] : ["The table computes ignored_columns itself."]),
    ]),
});

const toGiven = ({ delimiter, quote, decimal }: ImportInput): Partial<Dialect> => ({
  ...(delimiter !== undefined && { delimiter: requireMark(delimiter, "delimiter") }),
  ...(quote !== undefined && { quote: requireMark(quote, "quote") }),
  ...(decimal !== undefined && { decimal }),
});

function requireMark(given: string, name: string): string {
  const mark = given === "\\t" || given === "tab" ? "\t" : given;
  if (/^(?:\t|[^\s\w])$/.test(mark)) return mark;
  throw new Fault("invalid_input", `${name} must be one character that is not a letter, digit or space.`);
}

/** A name that is almost right is easily put right by whoever sees the others. */
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

async function read(
  target: NamedDatabase,
  file: TextFile,
  input: ImportInput,
  dialect: Dialect | undefined,
  context: ToolContext<SqliteState>,
): Promise<Imported> {
  const {
    table,
    columns,
    header,
    skip_bad_rows: skipBad = false,
    dry_run: dryRun = false,
    create = false,
  } = input;
  const { readRecords } = await import("../domain/transfer/read-records.ts");
  const records = readRecords(file, {
    format: dialect ? "csv" : "jsonl",
    skipBad,
    ...(dialect && { marks: dialect }),
    ...(columns && { columns }),
    ...(header !== undefined && { header }),
  });
  // In the second process: queries continue meanwhile.
  const options = { writes: true, isLong: true, input: records, onProgress: toProgress(context) };
  const args = { table, dryRun, create, skipBad, decimal: dialect?.decimal ?? "." };
  try {
    const done = await target.engine.task("import", args, context.stop, options);
    if (!dryRun) context.state.watch.wrote(target);
    return done;
  } catch (thrown) {
    if (!dialect) throw thrown;
    const { guessDialect } = await import("../domain/transfer/csv-parser.ts");
    throw withHeader(thrown, file, dialect, guessDialect(file.peek(), {}));
  }
}

const LONGEST_HEADER = 300;

/** What the file begins with explains most failures. */
function withHeader(thrown: unknown, file: TextFile, { delimiter }: Dialect, likely: Dialect): unknown {
  if (!(thrown instanceof Fault) || (thrown.code !== "not_found" && thrown.code !== "invalid_input"))
    return thrown;
  const [header = ""] = file.peek().split(/[\r\n]/, 1);
  const { code, message, hint, details } = thrown;
  const about = `The file's header is ${JSON.stringify(header.slice(0, LONGEST_HEADER))}, read with the delimiter ${JSON.stringify(delimiter)}${likely.delimiter === delimiter ? "" : `; it is probably ${JSON.stringify(likely.delimiter)}`}.`;
  return new Fault(code, message, {
    hint: hint === undefined ? about : `${hint} ${about}`,
    ...(details !== undefined && { details }),
    cause: thrown,
  });
}

function toOutput(
  { name: database }: NamedDatabase,
  { table, rows, columns, sample, ignored, skipped, reasons }: Imported,
  { encoding }: TextFile,
  dialect: Dialect | undefined,
  isDryRun: boolean,
) {
  return {
    database,
    table,
    rows,
    read_as: { encoding, ...dialect },
    columns: [...columns],
    ...(isDryRun ? { sample: sample.map((row) => [...row]) } : {}),
    ...(ignored.length > 0 ? { ignored_columns: [...ignored] } : {}),
    ...(skipped > 0 ? { skipped, reasons: [...reasons] } : {}),
    changed: rows > 0 ? [database] : [],
  };
}
