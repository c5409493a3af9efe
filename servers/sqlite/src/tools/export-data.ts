import type { TextPart } from "@suite/server-kit";
import { AtomicFile, countOf, Fault, quotePath } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { ExportArgs } from "../domain/protocol/tasks.ts";
import { EXPORT_FORMATS, formatOf } from "../domain/transfer/format.ts";
import type { SqlParams } from "../domain/values/params.ts";
import { requireExchange, statsOf, toProgress } from "./exchange.ts";
import { noteInexact } from "./page.ts";
import {
  DatabaseName,
  DryRun,
  PATH_ALIASES,
  SameParams,
  Sql,
  SQL_ALIASES,
  Table,
  TABLE_ALIASES,
} from "./schemas.ts";

export const exportData = defineTool({
  name: "export_data",
  version: 2,
  title: "Export to a file",
  description: "Writes a table or query to a CSV, JSON lines or Markdown file.",
  effects: "destructive",
  affects: "files in the exchange directories",
  group: "files",
  aliases: { ...SQL_ALIASES, ...TABLE_ALIASES, ...PATH_ALIASES },
  input: schema(
    v.strictObject({
      path: v.string(),
      table: v.optional(Table),
      query: v.optional(Sql),
      params: SameParams,
      format: v.optional(v.picklist(EXPORT_FORMATS)),
      overwrite: v.optional(v.boolean()),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      rows: Count,
      bytes: Count,
      inexact: v.exactOptional(v.array(v.string())),
      changed: Changed,
    }),
  ),
  untrusted: ["inexact"],
  async run(input, context) {
    const { path, overwrite = false, dry_run: dryRun = false } = input;
    const source = context.state.databases.get(input.database);
    const guard = requireExchange(context.state);
    const file = new AtomicFile(guard, path, { overwrite, owner: context.state.owner });
    let bytes = 0;
    const onChunk = (text: string): void => {
      bytes += dryRun ? Buffer.byteLength(text) : file.write(text);
    };
    try {
      const args: ExportArgs = {
        from: toSource(input.table, input.query, input.params),
        format: input.format ?? formatOf(path, EXPORT_FORMATS),
      };
      if (!dryRun) file.open(statsOf(source).mode);
      const options = { isLong: true, onChunk, onProgress: toProgress(context) };
      const { rows, inexact } = await source.engine.task("export", args, context.stop, options);
      if (!dryRun) file.finish();
      return {
        database: source.name,
        rows,
        bytes,
        ...(inexact.length > 0 ? { inexact: [...inexact] } : {}),
        changed: [file.path],
      };
    } finally {
      file.discard();
    }
  },
  text: ({ rows, bytes, changed }, { dry_run: isDryRun }): TextPart =>
    `${countOf(rows, "row")}, ${bytes} bytes ${isDryRun ? "would be" : "were"} written to ${quotePath(changed[0] ?? "")}.`,
  note: ({ inexact = [] }) => noteInexact(inexact),
});

function toSource(
  table: string | undefined,
  sql: string | undefined,
  params: SqlParams | undefined,
): ExportArgs["from"] {
  if (table !== undefined && sql === undefined && params === undefined) return { table };
  if (table === undefined && sql !== undefined) return { sql, params };
  throw new Fault("invalid_input", "Give either table, or query with its params.");
}
