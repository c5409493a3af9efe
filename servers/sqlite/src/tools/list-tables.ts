import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toFault, type StopSignal } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { NamedDatabase } from "../domain/databases.ts";
import { toLine } from "../domain/render.ts";
import type { TableList } from "../domain/child/tasks/objects.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { countOf } from "./page.ts";
import { Count, DatabaseName } from "./schemas.ts";

const MOST_TABLES = 1000;

const Table = v.object({
  name: v.string(),
  kind: v.picklist(["table", "view", "virtual"]),
  columns: Count,
  rows: v.exactOptional(Count),
  more: v.exactOptional(v.literal(true)),
});
const Listed = v.object({
  name: v.string(),
  writable: v.boolean(),
  tables: v.array(Table),
  truncated: v.boolean(),
  error: v.exactOptional(v.string()),
});
type ListedDatabase = v.InferOutput<typeof Listed>;

export const listTables: ToolDefinition<SqliteState> = defineTool({
  name: "list_tables",
  title: "List tables",
  description:
    "Tables and views with their numbers of columns and rows (counted up to 10,000), of one database or of all.",
  effects: "read",
  touches: "nothing: it reads the schema",
  group: "read",
  input: schema(v.strictObject({ database: DatabaseName })),
  output: schema(v.object({ databases: v.array(Listed) })),
  async run({ database }, { state, stop }: SqliteContext) {
    const { all } = state.databases;
    if (database !== undefined || all.length < 2) {
      return { databases: [await list(state.databases.get(database), stop)] };
    }
    return { databases: await Promise.all(all.map((each) => listIfPossible(each, stop))) };
  },
  text: ({ databases }) => databases.flatMap(render),
});

async function list({ name, mode, engine }: NamedDatabase, signal: StopSignal): Promise<ListedDatabase> {
  const args = { limit: MOST_TABLES, counted: true };
  const { tables, truncated } = (await engine.task("tables", args, signal)) as TableList;
  return { name, writable: mode !== "read", tables: [...tables], truncated };
}

/** One that cannot be read does not hide the others. */
async function listIfPossible(database: NamedDatabase, signal: StopSignal): Promise<ListedDatabase> {
  try {
    return await list(database, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const { name, mode } = database;
    return { name, writable: mode !== "read", tables: [], truncated: false, error: toFault(thrown).message };
  }
}

function render({ name, writable, tables, truncated, error }: ListedDatabase): TextPart[] {
  const state =
    error ??
    (tables.length === 0
      ? "no tables"
      : `${truncated ? "more than " : ""}${countOf(tables.length, "table")}`);
  const heading = `${name}${writable ? "" : " (read-only)"}: ${state}`;
  if (tables.length === 0) return [heading];
  const lines = tables.map(({ name: table, kind, columns, rows, more }) => {
    const counted = rows === undefined ? "" : `, ${rows}${more ? "+" : ""} rows`;
    return `${toLine(table)} (${kind}, ${columns} columns${counted})`;
  });
  const rest = "There are more: SELECT name FROM sqlite_schema with read_query finds them.";
  return [heading, untrusted(lines.join("\n"), name), ...(truncated ? [rest] : [])];
}
