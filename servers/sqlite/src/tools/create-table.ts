import type { ToolContext } from "@suite/server-kit";
import { Changed } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { SqliteState } from "../state.ts";
import { DatabaseName, DryRun, Sql, SQL_ALIASES } from "./schemas.ts";
import { databaseTargets, requireStatement } from "./writing.ts";
import type { SchemaTool } from "../domain/sql-policy/admit.ts";

const Input = v.strictObject({ query: Sql, dry_run: DryRun, database: DatabaseName });
const Output = v.object({ database: v.string(), verb: v.string(), changed: Changed });
type SchemaInput = v.InferOutput<typeof Input>;
type SchemaOutput = v.InferOutput<typeof Output>;

/** Two tools, so that an operator can allow additions to the schema without removals. */
export const createTable = defineTool({
  name: "create_table",
  version: 2,
  title: "Create a table",
  description: "Runs one CREATE TABLE, INDEX, VIEW or TRIGGER.",
  effects: "write",
  affects: "the schema of the database",
  group: "schema",
  alsoKnownAs: ["create_index", "create_view"],
  aliases: { query: SQL_ALIASES.query },
  input: schema(Input),
  output: schema(Output),
  targets: databaseTargets,
  run: (given, context) => changeSchema(given, context, "create_table"),
  text: render,
});

export const alterOrDrop = defineTool({
  name: "alter_or_drop",
  title: "Alter or drop",
  description: "Runs one ALTER TABLE or DROP, or REINDEX or ANALYZE.",
  effects: "destructive",
  affects: "the schema of the database, and rows that go with it",
  group: "schema",
  alsoKnownAs: ["alter_table", "drop_table", "drop_index"],
  aliases: { query: SQL_ALIASES.query },
  input: schema(Input),
  output: schema(Output),
  targets: databaseTargets,
  run: (given, context) => changeSchema(given, context, "alter_or_drop"),
  text: render,
});

async function changeSchema(
  { query, dry_run: dryRun = false, database }: SchemaInput,
  { state, stop }: ToolContext<SqliteState>,
  tool: SchemaTool,
): Promise<SchemaOutput> {
  const target = state.databases.get(database);
  requireStatement(query, tool, state);
  const { verb } = await target.engine.write({ sql: query, dryRun }, stop);
  if (!dryRun) state.watch.wrote(target);
  return { database: target.name, verb, changed: [target.name] };
}

function render({ verb, database }: SchemaOutput, { dry_run: isDryRun }: SchemaInput): string {
  return isDryRun ? `${verb} would work on ${database}.` : `${verb} done on ${database}.`;
}
