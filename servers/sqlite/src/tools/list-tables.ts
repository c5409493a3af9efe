import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf, fitItems, type StopSignal, toFault } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { NamedDatabase } from "../domain/databases.ts";
import { countTables, toLine } from "../domain/render.ts";
import { DatabaseName, rowCount } from "./schemas.ts";

const MOST_TABLES = 1000;

export const MORE_TABLES =
  "There are more tables: SELECT name FROM sqlite_schema with read_query finds them.";

const Table = v.object({
  name: v.string(),
  kind: v.picklist(["table", "view", "virtual"]),
  columns: Count,
  ...rowCount,
});
const Listed = v.object({
  name: v.string(),
  writable: v.boolean(),
  tables: v.array(Table),
  truncated: v.boolean(),
  error: v.exactOptional(v.string()),
});
type ListedDatabase = v.InferOutput<typeof Listed>;

export const listTables = defineTool({
  name: "list_tables",
  version: 3,
  title: "List tables",
  description: "Tables and views, with columns and rows.",
  effects: "read",
  affects: "nothing: it reads the schema",
  group: "read",
  alsoKnownAs: ["show_tables", "list_databases"],
  input: schema(v.strictObject({ database: DatabaseName })),
  output: schema(v.object({ databases: v.array(Listed) })),
  untrusted: ["databases[].tables[].name"],
  async run({ database }, { state, stop, budget }) {
    const { all } = state.databases;
    const chosen = database !== undefined || all.length < 2 ? [state.databases.get(database)] : all;
    const share = Math.floor(budget / chosen.length);
    const [only, ...others] = chosen;
    if (only && others.length === 0) return { databases: [await list(only, share, stop)] };
    return { databases: await Promise.all(chosen.map((each) => listIfPossible(each, share, stop))) };
  },
  text: ({ databases }) => databases.flatMap(render),
  note: ({ databases }) => (databases.some(({ truncated }) => truncated) ? MORE_TABLES : undefined),
});

async function list(
  { name, mode, engine }: NamedDatabase,
  budget: number,
  signal: StopSignal,
): Promise<ListedDatabase> {
  const { tables, truncated } = await engine.task("tables", { limit: MOST_TABLES, counted: true }, signal);
  const { items, rest } = fitItems(tables, budget);
  return { name, writable: mode !== "read", tables: [...items], truncated: truncated || rest.length > 0 };
}

/** A database that cannot be read does not hide the others. */
async function listIfPossible(
  database: NamedDatabase,
  budget: number,
  signal: StopSignal,
): Promise<ListedDatabase> {
  try {
    return await list(database, budget, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const { name, mode } = database;
    return { name, writable: mode !== "read", tables: [], truncated: false, error: toFault(thrown).message };
  }
}

function render({ name, writable, tables, truncated, error }: ListedDatabase): TextPart[] {
  const state =
    error ?? (tables.length === 0 ? "no tables" : `${countTables(tables)}${truncated ? " and more" : ""}`);
  const heading = `${name}${writable ? "" : " (read-only)"}: ${state}`;
  if (tables.length === 0) return [heading];
  const lines = tables.map(({ name: table, kind, columns, rows, more }) => {
    const lineCount = rows === undefined ? "" : `, ${more ? `${rows}+ rows` : countOf(rows, "row")}`;
    return `${toLine(table)} (${kind}, ${countOf(columns, "column")}${lineCount})`;
  });
  return [heading, untrusted(lines.join("\n"))];
}
