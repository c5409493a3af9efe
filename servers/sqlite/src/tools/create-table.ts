import type { ToolContext } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { SqliteState } from "../state.ts";
import { DatabaseName, DryRun, Sql, SQL_ALIASES } from "./schemas.ts";
import {
  databaseTargets,
  howToUndo,
  keptOutput,
  noteKept,
  requireStatement,
  toAuthor,
  toKept,
} from "./writing.ts";
import type { SchemaTool } from "../domain/sql-policy/admit.ts";

const Input = v.strictObject({ query: Sql, dry_run: DryRun, database: DatabaseName });
const Output = v.object({
  database: v.string(),
  verb: v.string(),
  rows: v.exactOptional(Count),
  ...keptOutput,
  changed: Changed,
});
type SchemaInput = v.InferOutput<typeof Input>;
type SchemaOutput = v.InferOutput<typeof Output>;

/** Two tools, so that an operator can allow additions to the schema without removals. */
export const createTable = defineTool({
  name: "create_table",
  version: 3,
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
  note: (output, { dry_run: isDryRun }) => [noteKept(output, isDryRun)],
});

export const alterOrDrop = defineTool({
  name: "alter_or_drop",
  version: 2,
  title: "Alter or drop",
  description: "Runs one ALTER TABLE, DROP, REINDEX or ANALYZE.",
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
  note: (output, { dry_run: isDryRun }) => [noteKept(output, isDryRun)],
});

async function changeSchema(
  { query, dry_run: dryRun = false, database }: SchemaInput,
  context: ToolContext<SqliteState>,
  tool: SchemaTool,
): Promise<SchemaOutput> {
  const { state, stop } = context;
  const target = state.databases.get(database);
  requireStatement(query, tool, state);
  const author = toAuthor(context, tool, query);
  const { verb, dropped, ...done } = await target.engine.write({ sql: query, dryRun, author }, stop);
  if (!dryRun) state.watch.wrote(target);
  return {
    database: target.name,
    verb,
    ...(dropped !== undefined && { rows: dropped }),
    ...toKept(done),
    changed: [target.name],
  };
}

function render(output: SchemaOutput, { dry_run: isDryRun }: SchemaInput): string {
  const { verb, database, rows } = output;
  const gone =
    rows === undefined ? "" : `: ${countOf(rows, "row")} ${isDryRun ? "would go" : "went"} with the table`;
  return `${verb} ${isDryRun ? "would work" : "done"} on ${database}${gone}.${howToUndo(output)}`;
}
