import { defineTool, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { Exported, ExportArgs } from "../domain/child/tasks/export.ts";
import { formatOf } from "../domain/transfer/format.ts";
import type { Params as ParamValues } from "../domain/values/params.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { FileFormat, requireExchange, toProgress } from "./exchange.ts";
import { countOf, noteInexact } from "./page.ts";
import { Changed, Count, DatabaseName, DryRun, Params, Sql } from "./schemas.ts";

export const exportData: ToolDefinition<SqliteState> = defineTool({
  name: "export_data",
  title: "Export to a file",
  description:
    "Writes the rows of a table or a query to a CSV or JSON lines file in an exchange directory, whatever their number.",
  effects: "destructive",
  touches: "files in the exchange directories",
  group: "files",
  input: schema(
    v.strictObject({
      path: v.string(),
      table_name: v.optional(v.string()),
      query: v.optional(Sql),
      params: Params,
      format: FileFormat,
      overwrite: v.optional(v.boolean()),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      path: v.string(),
      rows: Count,
      bytes: Count,
      inexact: v.exactOptional(v.array(v.string())),
      changed: Changed,
      dry_run: v.boolean(),
    }),
  ),
  async run(input, context: SqliteContext) {
    const { path, format = formatOf(path), overwrite = false, dry_run: dryRun = false } = input;
    const { name, engine } = context.state.databases.get(input.database);
    const args: ExportArgs = { from: toSource(input.table_name, input.query, input.params), format };
    const guard = requireExchange(context);
    const { WholeFile } = await import("../domain/transfer/whole-file.ts");
    const file = new WholeFile(guard, path, overwrite, context.state.owner);
    let bytes = 0;
    const onChunk = (text: unknown): void => {
      bytes += dryRun ? Buffer.byteLength(text as string) : file.write(text as string);
    };
    try {
      if (!dryRun) file.open();
      const options = { isLong: true, onChunk, onProgress: toProgress(context) };
      const { rows, inexact } = (await engine.task("export", args, context.stop, options)) as Exported;
      if (!dryRun) file.finish();
      return {
        database: name,
        path: file.path,
        rows,
        bytes,
        ...(inexact.length > 0 ? { inexact: [...inexact] } : {}),
        changed: [file.path],
        dry_run: dryRun,
      };
    } finally {
      file.discard();
    }
  },
  text: ({ path, rows, bytes, inexact = [], dry_run: isDryRun }): TextPart[] => [
    `${countOf(rows, "row")}, ${bytes} bytes ${isDryRun ? "would be" : "were"} written to ${JSON.stringify(path)}.`,
    ...noteInexact(inexact),
  ],
});

function toSource(
  table: string | undefined,
  sql: string | undefined,
  params: ParamValues | undefined,
): ExportArgs["from"] {
  if (table !== undefined && sql === undefined && params === undefined) return { table };
  if (table === undefined && sql !== undefined) return { sql, ...(params === undefined ? {} : { params }) };
  throw new Fault("invalid_input", "Give either table_name, or query with its params.");
}
