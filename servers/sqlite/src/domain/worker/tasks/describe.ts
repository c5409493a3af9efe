import { fitItems, shownSize } from "@suite/server-kit/domain";
import type { RowPage } from "../../protocol/statements.ts";
import { skipParentheses } from "../../sql-policy/statement.ts";
import { keywordOf, quoteName, tokenize } from "../../sql-policy/tokens.ts";
import type { DatabaseConnection, Row } from "../connection.ts";
import { takePage } from "../page.ts";
import { inSnapshot } from "../query.ts";
import { isSqliteError } from "../sqlite-error.ts";
import type { TaskContext } from "../task.ts";
import { type ColumnClauses, columnClausesOf, indexClausesOf } from "../definition.ts";
import type {
  ColumnInfo,
  DescribeArgs,
  Described,
  ForeignKey,
  IndexInfo,
  TableInfo,
  TableName,
} from "../../protocol/tasks.ts";
import { countingTime, countRows, listTables, requireTable } from "../tables.ts";

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
    const until = countingTime();
    for (const [at, { name, kind }] of names.entries()) {
      const table = describeTable(connection, { name, kind }, sample, until);
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

function describeTable(
  connection: DatabaseConnection,
  table: TableName,
  sample: number,
  until: number,
): TableInfo {
  const definition = defineTable(connection, table);
  const isSampled = sample > 0 && definition.broken === undefined;
  return {
    ...definition,
    ...countRows(connection, table, until),
    ...(isSampled ? { sample: sampleOf(connection, table.name, sample) } : {}),
  };
}

function defineTable(connection: DatabaseConnection, { name, kind }: TableName): TableInfo {
  const sql = connection.value(
    "SELECT sql FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')",
    name,
  );
  const tableSql = kind === "table" && typeof sql === "string" ? sql : "";
  const { columns, broken } = columnsOf(connection, name, columnClausesOf(tableSql));
  return {
    name,
    kind,
    ...(typeof sql === "string" ? { sql: toShownSql(sql) } : {}),
    ...(kind === "table" ? optionsOf(connection, name) : {}),
    ...(broken === undefined ? {} : { broken }),
    columns,
    checks: checksOf(tableSql),
    indexes: indexesOf(connection, name, columns),
    foreign_keys: foreignKeysOf(connection, name),
    triggers: connection
      .own(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
      )
      .all(name)
      .map(([trigger, text]) => ({ name: String(trigger), sql: toShownSql(String(text)) })),
  };
}

/** CHECK is reserved: as a bare word, it always begins a constraint. */
function checksOf(sql: string): string[] {
  const tokens = tokenize(sql);
  return tokens.flatMap((token, at) => {
    const [open, last] = [tokens[at + 1], tokens[skipParentheses(tokens, at + 1) - 1]];
    const isCheck = keywordOf(token) === "CHECK" && open?.text === "(" && last?.text === ")";
    return isCheck ? [toShownSql(sql.slice(open.end, last.start).trim())] : [];
  });
}

const LONGEST_SQL = 20_000;

const toShownSql = (sql: string): string =>
  sql.length > LONGEST_SQL ? `${sql.slice(0, LONGEST_SQL)}… (truncated: ${sql.length} characters)` : sql;

function optionsOf(connection: DatabaseConnection, table: string): Pick<TableInfo, "options"> {
  const [strict, withoutRowid] =
    connection
      .own("SELECT strict, wr FROM temp.pragma_table_list WHERE schema = 'main' AND name = ?")
      .get(table) ?? [];
  const options = [...(strict ? ["STRICT"] : []), ...(withoutRowid ? ["WITHOUT ROWID"] : [])];
  return options.length === 0 ? {} : { options: options.join(", ") };
}

function columnsOf(
  connection: DatabaseConnection,
  table: string,
  clauses: readonly ColumnClauses[],
): Pick<TableInfo, "columns" | "broken"> {
  try {
    const rows = connection.own("SELECT * FROM temp.pragma_table_xinfo(?)").all(table);
    return { columns: rows.map((row, at) => toColumn(row, clauses[at])) };
  } catch (thrown) {
    if (!isSqliteError(thrown)) throw thrown;
    return { columns: [], broken: thrown.message };
  }
}

const GENERATED: { readonly [hidden: string]: string } = { 2: "virtual", 3: "stored" };
const BINARY = "BINARY";

function toColumn(
  [, name, type, notNull, fallback, key, hidden]: Row,
  { collation = BINARY, expression = "" }: Partial<ColumnClauses> = {},
): ColumnInfo {
  const generated = GENERATED[String(hidden)];
  return {
    name: String(name),
    type: String(type),
    ...(notNull ? { not_null: true } : {}),
    ...(fallback === null || fallback === undefined ? {} : { default: String(fallback) }),
    ...(key ? { primary_key: Number(key) } : {}),
    ...(collation !== BINARY && { collate: collation }),
    ...(generated !== undefined && { generated: `${toShownSql(expression)} ${generated}`.trimStart() }),
    ...(String(hidden) === "1" && { hidden: true }),
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

/** Without that of the primary key, which the columns tell. */
function indexesOf(
  connection: DatabaseConnection,
  table: string,
  columns: readonly ColumnInfo[],
): IndexInfo[] {
  const collations = new Map(columns.map(({ name, collate = BINARY }) => [name, collate]));
  const list = connection
    .own(
      `SELECT l.name, l."unique", l.origin, s.sql FROM temp.pragma_index_list(?) l LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = l.name
       WHERE l.origin <> 'pk' ORDER BY l.seq`,
    )
    .all(table);
  return list.map(([name, unique, origin, sql]) => {
    const { keys, where } = indexClausesOf(String(sql ?? ""));
    const toKey = ([column, collation, descending]: Row, at: number): string => {
      if (typeof column !== "string") return toShownSql(keys[at] ?? "");
      const isOwn = String(collation).toUpperCase() === collations.get(column);
      return `${column}${isOwn ? "" : ` COLLATE ${String(collation)}`}${descending ? " DESC" : ""}`;
    };
    return {
      ...(origin === "c" && { name: String(name) }),
      ...(unique ? { unique: true } : {}),
      columns: connection
        .own('SELECT name, coll, "desc" FROM temp.pragma_index_xinfo(?) WHERE key ORDER BY seqno')
        .all(String(name))
        .map(toKey),
      ...(where !== undefined && { where: toShownSql(where) }),
    };
  });
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
  return [...byId.values()].map((group) => {
    const references = group.flatMap((row) => (row[3] === null ? [] : [String(row[3])]));
    return {
      columns: group.map((row) => String(row[2])),
      table: String(group[0]?.[1]),
      ...(references.length > 0 && { references }),
      ...(group[0]?.[4] !== NO_ACTION && { on_update: String(group[0]?.[4]) }),
      ...(group[0]?.[5] !== NO_ACTION && { on_delete: String(group[0]?.[5]) }),
    };
  });
}
