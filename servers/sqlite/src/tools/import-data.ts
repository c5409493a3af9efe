import { defineTool, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { Imported } from "../domain/child/tasks/import.ts";
import { formatOf } from "../domain/transfer/format.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { FileFormat, requireExchange, toProgress } from "./exchange.ts";
import { countOf } from "./page.ts";
import { Changed, Count, DatabaseName, DryRun } from "./schemas.ts";
import { databaseTargets } from "./writing.ts";

export const importData: ToolDefinition<SqliteState> = defineTool({
  name: "import_data",
  version: 2,
  title: "Import a file",
  description:
    "Adds the rows of a CSV file (the first line names the columns) or a JSON lines file in an exchange directory to a table: all or none.",
  // A table may replace rows on conflict, and its triggers may delete others.
  effects: "destructive",
  touches: "rows of the database",
  group: "files",
  input: schema(
    v.strictObject({
      path: v.string(),
      table_name: v.string(),
      format: FileFormat,
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      table: v.string(),
      rows: Count,
      ignored_columns: v.exactOptional(v.array(v.string())),
      changed: Changed,
      dry_run: v.boolean(),
    }),
  ),
  targets: databaseTargets,
  async run(
    { path, table_name: table, format = formatOf(path), dry_run: dryRun = false, database },
    context: SqliteContext,
  ) {
    const target = context.state.databases.get(database);
    const guard = requireExchange(context);
    const { TextFile } = await import("../domain/transfer/text-file.ts");
    const { readRecords } = await import("../domain/transfer/read-records.ts");
    const file = new TextFile(guard, path);
    try {
      const input = readRecords(file, format);
      // In the second process: queries go on meanwhile.
      const options = { writes: true, isLong: true, input, onProgress: toProgress(context) };
      const done = (await target.engine.task("import", { table, dryRun }, context.stop, options)) as Imported;
      const { table: name, rows, ignored } = done;
      if (!dryRun) {
        context.log.info({ event: "imported", database: target.name, table: name, rows });
        context.state.changes.wrote(target);
      }
      return {
        database: target.name,
        table: name,
        rows,
        ...(ignored.length > 0 ? { ignored_columns: [...ignored] } : {}),
        changed: rows > 0 ? [target.name] : [],
        dry_run: dryRun,
      };
    } finally {
      file.close();
    }
  },
  text: ({ rows, table, ignored_columns: ignored, dry_run: isDryRun }): TextPart[] => [
    `${countOf(rows, "row")} ${isDryRun ? "could be" : rows === 1 ? "was" : "were"} added to ${JSON.stringify(table)}.${isDryRun ? " Nothing was changed." : ""}`,
    ...(ignored === undefined
      ? []
      : [`The table computes these itself, so the file's values were left out: ${JSON.stringify(ignored)}`]),
  ],
});
