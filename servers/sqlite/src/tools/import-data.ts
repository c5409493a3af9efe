import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { ImportedFile } from "../domain/import-file.ts";
import { renderTable } from "../domain/render.ts";
import { IMPORT_FORMATS } from "../domain/transfer/format.ts";
import { requireExchange, toProgress } from "./exchange.ts";
import { DatabaseName, DryRun, PATH_ALIASES, Rows, Table, TABLE_ALIASES } from "./schemas.ts";
import { databaseTargets, howToUndo, keptOutput, noteKept, toAuthor, toKept } from "./writing.ts";

const Input = v.strictObject({
  path: v.string(),
  table: Table,
  create: v.optional(v.boolean()),
  columns: v.optional(v.pipe(v.array(v.string()), v.description('By position; "" skips one'))),
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

const Output = v.object({
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
  sample: v.exactOptional(Rows),
  mixed_columns: v.exactOptional(v.array(v.object({ name: v.string(), value: v.string(), record: Count }))),
  ignored_columns: v.exactOptional(v.array(v.string())),
  skipped: v.exactOptional(Count),
  reasons: v.exactOptional(v.array(v.object({ record: Count, reason: v.string() }))),
  ...keptOutput,
  changed: Changed,
});

export const importData = defineTool({
  name: "import_data",
  version: 6,
  title: "Import a file",
  description: "Adds rows of a CSV or JSON file to a table, or a new one (create): all or none.",
  // A table may replace rows on conflict, and its triggers may delete others.
  effects: "destructive",
  affects: "rows of the database, and the schema with create",
  group: "files",
  alsoKnownAs: ["import_csv", "load_csv"],
  aliases: { ...TABLE_ALIASES, ...PATH_ALIASES },
  input: schema(Input),
  output: schema(Output),
  untrusted: ["columns", "sample", "mixed_columns", "ignored_columns", "reasons"],
  targets: databaseTargets,
  async run({ database, dry_run: dryRun = false, ...input }, context) {
    const target = context.state.databases.get(database);
    const guard = requireExchange(context.state);
    const { path, table, create = false, skip_bad_rows: skipBad = false } = input;
    const { delimiter, quote, decimal, encoding, format, columns, header } = input;
    const dialect = { delimiter, quote, decimal };
    const author = toAuthor(context, "import_data", `${path} into ${table}`);
    const asked = {
      path,
      table,
      create,
      dryRun,
      // A dry run looks at all rows, and says what would stop the import.
      skipBad: skipBad || dryRun,
      dialect,
      encoding,
      format,
      columns,
      header,
      author,
    };
    const { importFile } = await import("../domain/import-file.ts");
    const done = await importFile(target.engine, guard, asked, context.stop, toProgress(context));
    if (!dryRun) context.state.watch.wrote(target);
    return toOutput(target.name, done, dryRun);
  },
  text: (output, { dry_run: isDryRun }): TextPart[] => {
    const { table, rows, columns, sample, reasons = [], read_as: how } = output;
    const { mixed_columns: mixed = [], ignored_columns: ignored = [] } = output;
    const facts = Object.entries(how).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    const heading = `${countOf(rows, "row")} ${isDryRun ? "could be" : rows === 1 ? "was" : "were"} added to ${JSON.stringify(table)} (${facts.join(", ")})`;
    const named = columns.map(({ name, type }) => ({ name: `${name} ${type}`.trim(), type }));
    const parts = [
      sample ? renderTable({ columns: named, rows: sample }) : named.map(({ name }) => name).join(", "),
      ...mixed.map(({ name, value, record }) => {
        const why = isText(output, name) ? "is TEXT because of" : "is for numbers and holds";
        return `${name} ${why} ${JSON.stringify(value)} (record ${record})`;
      }),
      ...(ignored.length === 0 ? [] : [`ignored: ${ignored.join(", ")}`]),
      ...reasons.map(({ record, reason }) => `skipped ${record}: ${reason}`),
    ];
    const last = output.undo === undefined ? [] : [howToUndo(output).trim()];
    return [`${heading}:`, untrusted(parts.join("\n")), ...last];
  },
  note: ({ skipped = 0, mixed_columns: mixed, ignored_columns: ignored, ...output }, input) => [
    noteKept(output, input.dry_run),
    input.columns &&
      input.header === undefined &&
      "The first line was left out as a header. If it is a row, pass header: false.",
    mixed?.some(({ value }) => /\d/.test(value)) &&
      "Amounts and dates in mixed_columns stay text: to compare and add them up, write them as 1200.5 and 2024-12-31.",
    mixed?.some(({ value }) => !/\d/.test(value)) &&
      (mixed.some(({ name }) => isText(output, name))
        ? "The numbers in mixed_columns are TEXT: to keep them as numbers, create the table first, with NUMERIC for these columns."
        : "The words in mixed_columns sort above all numbers. Set them to NULL with write_query if they mean nothing."),
    skipped > 0 &&
      (input.dry_run && !input.skip_bad_rows
        ? `As it is, nothing would be added: ${countOf(skipped, "row is", "rows are")} bad. skip_bad_rows: true leaves them out.`
        : `${countOf(skipped, "row")} skipped.`),
    ignored && "The table computes ignored_columns itself.",
  ],
});

const MOST_MIXED = 10;

/** Of a table that was made from the file. */
const isText = ({ columns }: Pick<v.InferOutput<typeof Output>, "columns">, name: string): boolean =>
  columns.some((column) => column.name === name && column.type === "TEXT");

function toOutput(database: string, done: ImportedFile, isDryRun: boolean): v.InferOutput<typeof Output> {
  const { table, rows, readAs, columns, sample, mixed, ignored, skipped, reasons } = done;
  return {
    database,
    table,
    rows,
    read_as: readAs,
    columns: [...columns],
    ...(isDryRun && { sample }),
    ...(mixed.length > 0 && { mixed_columns: mixed.slice(0, MOST_MIXED) }),
    ...(ignored.length > 0 && { ignored_columns: [...ignored] }),
    ...(skipped > 0 && { skipped, reasons: [...reasons] }),
    ...toKept(done),
    changed: rows > 0 ? [database] : [],
  };
}
