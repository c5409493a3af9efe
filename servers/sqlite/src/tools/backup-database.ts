import { statSync } from "node:fs";

import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { NamedDatabase } from "../domain/databases.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { requireExchange, toProgress } from "./exchange.ts";
import { Changed, Count, DatabaseName, DryRun } from "./schemas.ts";

export const backupDatabase: ToolDefinition<SqliteState> = defineTool({
  name: "backup_database",
  title: "Back a database up",
  description: "Copies a whole database to a new file in an exchange directory, while others go on using it.",
  effects: "destructive",
  touches: "files in the exchange directories",
  group: "files",
  input: schema(
    v.strictObject({
      path: v.string(),
      overwrite: v.optional(v.boolean()),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      path: v.string(),
      bytes: Count,
      changed: Changed,
      dry_run: v.boolean(),
    }),
  ),
  async run({ path, overwrite = false, dry_run: dryRun = false, database }, context: SqliteContext) {
    const source = context.state.databases.get(database);
    const guard = requireExchange(context);
    const { WholeFile } = await import("../domain/transfer/whole-file.ts");
    const file = new WholeFile(guard, path, overwrite, context.state.owner);
    try {
      const { size, mode } = statsOf(source);
      const result = { database: source.name, path: file.path, changed: [file.path], dry_run: dryRun };
      if (dryRun) return { ...result, bytes: size };
      // Nobody may read the copy who may not read the database.
      file.open(mode);
      const options = { isLong: true, onProgress: toProgress(context) };
      await source.engine.task("backup", { to: file.temporaryForOthers }, context.stop, options);
      return { ...result, bytes: file.finish() };
    } finally {
      file.discard();
    }
  },
  text: ({ path, bytes, dry_run: isDryRun }) =>
    isDryRun
      ? `It would be copied to ${JSON.stringify(path)}, about ${bytes} bytes.`
      : `Copied to ${JSON.stringify(path)}, ${bytes} bytes.`,
});

function statsOf({ file, engine }: NamedDatabase): { readonly size: number; readonly mode: number } {
  const stats = engine.isMemory ? undefined : statSync(file, { throwIfNoEntry: false });
  return { size: stats?.size ?? 0, mode: (stats?.mode ?? 0o600) & 0o666 };
}
