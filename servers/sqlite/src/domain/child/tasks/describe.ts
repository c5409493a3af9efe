import type { Connection, Row } from "../connection.ts";
import { takePage } from "../page.ts";
import { inSnapshot } from "../query.ts";
import { isSqliteError } from "../sqlite-error.ts";
import type { TaskContext } from "../task.ts";
import type { Page } from "../../protocol.ts";
import { quoteName } from "../../gate/tokens.ts";
import { type ForeignKey, foreignKeysOf, type IndexInfo, indexesOf } from "./keys.ts";
import { countRows, listTables, requireTable, type TableName, type TableSummary } from "./objects.ts";

export interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly not_null?: true;
  readonly default?: string;
  /** Its place in the primary key, from 1. */
  readonly primary_key?: number;
  readonly generated?: "virtual" | "stored";
  readonly hidden?: true;
}

export interface TableDefinition extends TableName {
  readonly sql?: string;
  /** Why it cannot be used: a view that no longer fits its tables, a virtual table without its module. */
  readonly broken?: string;
  readonly columns: readonly ColumnInfo[];
  readonly indexes: readonly IndexInfo[];
  readonly foreign_keys: readonly ForeignKey[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
}

export interface TableInfo extends TableDefinition, Pick<TableSummary, "rows" | "more"> {
  readonly sample: Page;
}

export interface DescribeArgs {
  readonly table: string;
  readonly sample: number;
}

export const describeTask = ({ table: given, sample }: DescribeArgs, { session }: TaskContext): TableInfo =>
  inSnapshot(session, (connection) => {
    const table = requireTable(connection, given);
    const definition = defineTable(connection, table);
    const isUsable = definition.broken === undefined;
    return {
      ...definition,
      ...countRows(connection, table),
      sample: isUsable ? sampleOf(connection, table.name, sample) : NOTHING,
    };
  });

const NOTHING: Page = { columns: [], rows: [], truncated: false };
const MOST_TABLES = 1000;
const MOST_CHARACTERS = 1_000_000;

export interface Schema {
  readonly tables: readonly TableDefinition[];
  readonly truncated: boolean;
}

/** Every table, as many as fit: all of one state of the schema. */
export const schemaTask = (_: unknown, { session }: TaskContext): Schema =>
  inSnapshot(session, (connection) => {
    const { tables, truncated } = listTables(connection, { limit: MOST_TABLES, counted: false });
    const defined: TableDefinition[] = [];
    let characters = 0;
    for (const table of tables) {
      const definition = defineTable(connection, table);
      characters += JSON.stringify(definition).length;
      if (characters > MOST_CHARACTERS) return { tables: defined, truncated: true };
      defined.push(definition);
    }
    return { tables: defined, truncated };
  });

function defineTable(connection: Connection, { name, kind }: TableName): TableDefinition {
  const sql = connection.value(
    "SELECT sql FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')",
    name,
  );
  return {
    name,
    kind,
    ...(typeof sql === "string" ? { sql: shorten(sql) } : {}),
    ...columnsOf(connection, name),
    indexes: indexesOf(connection, name),
    foreign_keys: foreignKeysOf(connection, name),
    triggers: connection
      .own("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY name")
      .all(name)
      .map(([trigger, text]) => ({ name: String(trigger), sql: shorten(String(text)) })),
  };
}

const LONGEST_SQL = 20_000;

const shorten = (sql: string): string =>
  sql.length > LONGEST_SQL ? `${sql.slice(0, LONGEST_SQL)}… (cut: ${sql.length} characters)` : sql;

function columnsOf(connection: Connection, table: string): Pick<TableDefinition, "columns" | "broken"> {
  try {
    return { columns: connection.own("SELECT * FROM pragma_table_xinfo(?)").all(table).map(toColumn) };
  } catch (thrown) {
    if (!isSqliteError(thrown)) throw thrown;
    return { columns: [], broken: thrown.message };
  }
}

const GENERATED: { readonly [hidden: string]: Partial<ColumnInfo> } = {
  1: { hidden: true },
  2: { generated: "virtual" },
  3: { generated: "stored" },
};

function toColumn([, name, type, notNull, fallback, key, hidden]: Row): ColumnInfo {
  return {
    name: String(name),
    type: String(type),
    ...(notNull ? { not_null: true } : {}),
    ...(fallback === null || fallback === undefined ? {} : { default: String(fallback) }),
    ...(key ? { primary_key: Number(key) } : {}),
    ...GENERATED[String(hidden)],
  };
}

const SAMPLE_BYTES = { maxBytes: 20_000, maxCellBytes: 500 };

function sampleOf(connection: Connection, table: string, limit: number): Page {
  const statement = connection.own(`SELECT * FROM ${quoteName(table)} LIMIT ?`);
  const columns = statement.columns().map(({ name, type }) => ({ name, type }));
  const iterator = statement.iterate(limit);
  try {
    return takePage({ iterator, columns, pending: undefined }, { limit, ...SAMPLE_BYTES });
  } finally {
    // One that was left in the middle would keep the statement from ever running again.
    iterator.return?.();
  }
}
