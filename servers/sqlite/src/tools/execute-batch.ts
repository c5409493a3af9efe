import { countOf, Fault, fitItems } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { DatabaseName, DryRun, SameParams, Sql, SQL_ALIASES } from "./schemas.ts";
import { changedBy, databaseTargets } from "./writing.ts";

const MOST_STATEMENTS = 20_000;

export const executeBatch = defineTool({
  name: "execute_batch",
  version: 3,
  title: "Change rows with several statements",
  description: "Runs several statements of write_query in one transaction: all of them, or none.",
  effects: "destructive",
  affects: "rows of the database",
  group: "write",
  alsoKnownAs: ["batch", "transaction"],
  aliases: {
    statements: ["queries"],
    "statements[].query": SQL_ALIASES.query,
    "statements[].params": SQL_ALIASES.params,
  },
  input: schema(
    v.strictObject({
      statements: v.pipe(v.array(v.strictObject({ query: Sql, params: SameParams })), v.minLength(1)),
      expected_rows: v.optional(Count),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      statements: Count,
      results: v.array(v.object({ verb: v.string(), affected_rows: Count })),
      affected_rows: Count,
      changed: Changed,
    }),
  ),
  targets: databaseTargets,
  async run({ statements, expected_rows: expectedRows, dry_run: dryRun = false, database }, context) {
    const { state, stop, budget } = context;
    const target = state.databases.get(database);
    if (statements.length > MOST_STATEMENTS) {
      throw new Fault("too_large", `A batch can have at most ${MOST_STATEMENTS} statements.`);
    }
    const done = await target.engine.batch(
      {
        statements: statements.map(({ query, params }) => ({ sql: query, params })),
        dryRun,
        expectedRows,
      },
      stop,
    );
    if (!dryRun) state.watch.wrote(target);
    const results = done.results.map(({ verb, changes }) => ({ verb, affected_rows: changes }));
    return {
      database: target.name,
      statements: statements.length,
      results: [...fitItems(results, budget).items],
      affected_rows: done.changes,
      changed: changedBy(target, done.results),
    };
  },
  text: ({ statements, results, affected_rows: rows }, { dry_run: isDryRun }) => [
    `${countOf(statements, "statement")}, ${countOf(rows, "row")} ${isDryRun ? "would change" : "changed"}:`,
    ...results.map(({ verb, affected_rows: count }, at) => `${at + 1}. ${verb} ${count}`),
  ],
  note: ({ statements, results }) =>
    results.length < statements
      ? `Only the first ${results.length} of ${statements} results are listed.`
      : undefined,
});
