import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { SqliteContext, SqliteState } from "../state.ts";
import { countOf } from "./page.ts";
import { Changed, Count, DatabaseName, DryRun, Params, Sql } from "./schemas.ts";
import { changedBy, databaseTargets } from "./writing.ts";

export const executeBatch: ToolDefinition<SqliteState> = defineTool({
  name: "execute_batch",
  title: "Change rows with several statements",
  description:
    "Runs several INSERT, UPDATE, DELETE or REPLACE statements in one transaction: all of them, or none.",
  effects: "destructive",
  touches: "rows of the database",
  group: "write",
  input: schema(
    v.strictObject({
      statements: v.pipe(
        v.array(v.strictObject({ query: Sql, params: Params })),
        v.minLength(1),
        v.maxLength(20_000),
      ),
      expected_rows: v.optional(Count),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      results: v.array(v.object({ verb: v.string(), affected_rows: Count })),
      affected_rows: Count,
      changed: Changed,
      dry_run: v.boolean(),
    }),
  ),
  targets: databaseTargets,
  async run(
    { statements, expected_rows: expectedRows, dry_run: dryRun = false, database },
    context: SqliteContext,
  ) {
    const { state, stop, log } = context;
    const target = state.databases.get(database);
    const done = await target.engine.batch(
      {
        statements: statements.map(({ query, params }) => ({
          sql: query,
          ...(params === undefined ? {} : { params }),
        })),
        dryRun,
        ...(expectedRows === undefined ? {} : { expectedRows }),
      },
      stop,
    );
    if (!dryRun) {
      log.info({
        event: "changed",
        database: target.name,
        statements: statements.length,
        rows: done.changes,
      });
      state.changes.wrote(target);
    }
    return {
      database: target.name,
      results: done.results.map(({ verb, changes }) => ({ verb, affected_rows: changes })),
      affected_rows: done.changes,
      changed: changedBy(target, done.results),
      dry_run: dryRun,
    };
  },
  text: ({ results, affected_rows: rows, dry_run: isDryRun }) =>
    `${countOf(results.length, "statement")}, ${countOf(rows, "row")} ${isDryRun ? "would change. Nothing was changed" : "changed"}.`,
});
