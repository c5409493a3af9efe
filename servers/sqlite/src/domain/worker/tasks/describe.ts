import { fitItems, shownSize } from "@suite/server-kit/domain";
import type { RowPage } from "../../protocol.ts";
import { skipParentheses } from "../../sql-policy/statement.ts";
import { keywordOf, quoteName, tokenize } from "../../sql-policy/tokens.ts";
import type { DatabaseConnection, Row } from "../connection.ts";
import { takePage } from "../page.ts";
import { inSnapshot } from "../query.ts";
import { isSqliteError } from "../sqlite-error.ts";
import type { TaskContext } from "../task.ts";
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

export interface TableInfo extends TableName, Pick<TableSummary, "rows" | "more"> {
  readonly sql?: string;
  /** Why it cannot be used: a view that no longer fits its tables, a virtual table without its module. */
  readonly broken?: string;
  readonly columns: readonly ColumnInfo[];
  /** The expression of each CHECK. */
  readonly checks: readonly string[];
  readonly indexes: readonly IndexInfo[];
  readonly foreign_keys: readonly ForeignKey[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
  readonly sample?: RowPage;
}

export interface DescribeArgs {
  /** All tables if omitted. */
  readonly tables?: readonly string[] | undefined;
  /** Rows of each table. */
  readonly sample: number;
  /** Characters for all tables together. */
  readonly budget: number;
}

export interface Described {
  readonly tables: readonly TableInfo[];
  /** Those that did not fit. */
  readonly omitted: readonly string[];
  /** There are more tables, not even named in `omitted`. */
  readonly more: boolean;
}

const MOST_TABLES = 1000;

/** All tables are of the same state of the schema. The first is described whatever its size. */
export const describeTask = (
  { tables: given, sample, budget }: DescribeArgs,
  { pool }: TaskContext,
): Described =>
  inSnapshot(pool, (connection) => {
    const { tables: names, truncated } = given
      ? { tables: given.map((name) => requireTable(connection, name)), truncated: false }
      : listTables(connection, { limit: MOST_TABLES, counted: false });
    const tables: TableInfo[] = [];
    // Reserved for the names of tables that will not fit.
    let unnamed = names.reduce((sum, { name }) => sum + shownSize(name) + 1, 0);
    let left = budget;
    for (const [at, { name, kind }] of names.entries()) {
      const table = describeTable(connection, { name, kind }, sample);
      const size = shownSize(table);
      unnamed -= shownSize(name) + 1;
      if (left - size < unnamed && at > 0) {
        const omitted = names.slice(at).map((other) => other.name);
        const { items, rest } = fitItems(omitted, left);
        return { tables, omitted: items, more: truncated || rest.length > 0 };
      }
      left -= size;
      tables.push(table);
    }
    return { tables, omitted: [], more: truncated };
  });

function describeTable(connection: DatabaseConnection, table: TableName, sample: number): TableInfo {
  const definition = defineTable(connection, table);
  const isSampled = sample > 0 && definition.broken === undefined;
  return {
    ...definition,
    ...countRows(connection, table),
    ...(isSampled ? { sample: sampleOf(connection, table.name, sample) } : {}),
  };
}

function defineTable(connection: DatabaseConnection, { name, kind }: TableName): TableInfo {
  const sql = connection.value(
    "SELECT sql FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')",
    name,
  );
  return {
    name,
    kind,
    ...(typeof sql === "string" ? { sql: shorten(sql) } : {}),
    ...columnsOf(connection, name),
    checks: kind === "table" && typeof sql === "string" ? checksOf(sql) : [],
    indexes: indexesOf(connection, name),
    foreign_keys: foreignKeysOf(connection, name),
    triggers: connection
      .own(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
      )
      .all(name)
      .map(([trigger, text]) => ({ name: String(trigger), sql: shorten(String(text)) })),
  };
}

/** CHECK is reserved: as a bare word, it always begins a constraint. */
function checksOf(sql: string): string[] {
  const tokens = tokenize(sql);
  return tokens.flatMap((token, at) => {
    const [open, last] = [tokens[at + 1], tokens[skipParentheses(tokens, at + 1) - 1]];
    const isCheck = keywordOf(token) === "CHECK" && open?.text === "(" && last?.text === ")";
    return isCheck ? [shorten(sql.slice(open.end, last.start).trim())] : [];
  });
}

const LONGEST_SQL = 20_000;

const shorten = (sql: string): string =>
  sql.length > LONGEST_SQL ? `${sql.slice(0, LONGEST_SQL)}… (truncated: ${sql.length} characters)` : sql;

function columnsOf(connection: DatabaseConnection, table: string): Pick<TableInfo, "columns" | "broken"> {
  try {
    return { columns: connection.own("SELECT * FROM temp.pragma_table_xinfo(?)").all(table).map(toColumn) };
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

function sampleOf(connection: DatabaseConnection, table: string, limit: number): RowPage {
  const statement = connection.own(`SELECT * FROM ${quoteName(table)} LIMIT ?`);
  const columns = statement.columns().map(({ name, type }) => ({ name, type }));
  const iterator = statement.iterate(limit);
  try {
    return takePage({ iterator, columns }, { limit, ...SAMPLE_BYTES });
  } finally {
    // An unfinished one would keep the statement from ever running again.
    iterator.return?.();
  }
}

export interface IndexInfo {
  readonly name: string;
  readonly unique?: true;
  readonly partial?: true;
  /** null for an expression. */
  readonly columns: readonly (string | null)[];
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** Empty for the primary key. */
  readonly references: readonly string[];
  /** Left out for NO ACTION. */
  readonly on_update?: string;
  readonly on_delete?: string;
}

function indexesOf(connection: DatabaseConnection, table: string): IndexInfo[] {
  const list = connection
    .own('SELECT name, "unique", partial FROM temp.pragma_index_list(?) ORDER BY seq')
    .all(table);
  return list.map(([name, unique, partial]) => ({
    name: String(name),
    ...(unique ? { unique: true } : {}),
    ...(partial ? { partial: true } : {}),
    columns: connection
      .own("SELECT name FROM temp.pragma_index_info(?) ORDER BY seqno")
      .all(String(name))
      .map(([column]) => (typeof column === "string" ? column : null)),
  }));
}

const NO_ACTION = "NO ACTION";

function foreignKeysOf(connection: DatabaseConnection, table: string): ForeignKey[] {
  const rows = connection
    .own(
      'SELECT id, "table", "from", "to", on_update, on_delete FROM temp.pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table);
  const byId = new Map<string, Row[]>();
  for (const row of rows) byId.set(String(row[0]), [...(byId.get(String(row[0])) ?? []), row]);
  return [...byId.values()].map((group) => ({
    columns: group.map((row) => String(row[2])),
    table: String(group[0]?.[1]),
    references: group.flatMap((row) => (row[3] === null ? [] : [String(row[3])])),
    ...(group[0]?.[4] !== NO_ACTION && { on_update: String(group[0]?.[4]) }),
    ...(group[0]?.[5] !== NO_ACTION && { on_delete: String(group[0]?.[5]) }),
  }));
}
