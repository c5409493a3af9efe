import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { SqliteContext, SqliteState } from "../state.ts";
import { Changed, DatabaseName, DryRun, Sql } from "./schemas.ts";
import { databaseTargets, requireFamily } from "./writing.ts";

export const createTable: ToolDefinition<SqliteState> = defineTool({
  name: "create_table",
  title: "Change the schema",
  description:
    "Runs one CREATE TABLE, or another statement that changes the schema (CREATE, ALTER, DROP of tables, indexes, views, triggers).",
  effects: "destructive",
  touches: "the schema of the database",
  group: "schema",
  input: schema(v.strictObject({ query: Sql, dry_run: DryRun, database: DatabaseName })),
  output: schema(
    v.object({ database: v.string(), verb: v.string(), changed: Changed, dry_run: v.boolean() }),
  ),
  targets: databaseTargets,
  async run({ query, dry_run: dryRun = false, database }, { state, stop, log }: SqliteContext) {
    const target = state.databases.get(database);
    requireFamily(query, "schema", state);
    const { verb } = await target.engine.write({ sql: query, dryRun }, stop);
    if (!dryRun) {
      log.info({ event: "schema changed", database: target.name, verb });
      state.changes.wrote(target);
    }
    return { database: target.name, verb, changed: [target.name], dry_run: dryRun };
  },
  text: ({ verb, database, dry_run: isDryRun }) =>
    isDryRun ? `${verb} would work on ${database}. Nothing was changed.` : `${verb} done on ${database}.`,
});
