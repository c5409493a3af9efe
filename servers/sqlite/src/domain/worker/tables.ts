import { Fault, suggest } from "@suite/server-kit/domain";
import type { DatabaseConnection, Row } from "./connection.ts";
import { primaryKeyOf } from "./keyset.ts";
import { inSnapshot } from "./query.ts";
import type { TaskContext } from "./task.ts";
import { cite, citeAll } from "../values/cite.ts";
import { quoteName } from "../sql-policy/tokens.ts";
import type { ListArgs, Selected, TableKind, TableList, TableName, TableSummary } from "../protocol/tasks.ts";

const MOST_SUGGESTED = 5000;
/** For all tables of a list together: a table of very many millions must not hold up the rest. */
const COUNTING_MS = 1000;
/** Counting begins with so many rows, and goes on with four times as many while there is time. */
const FIRST_COUNTED = 10_000;
const GROWTH = 4;

/** Shadow tables belong to a virtual one, and `sqlite_…` to SQLite. */
const TABLES = `
  FROM temp.pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

export const listTask = (args: ListArgs, { pool }: TaskContext): TableList =>
  inSnapshot(pool, (connection) => listTables(connection, args));

/** A query for all rows of a table, in the order of its primary key if it has one: pages then continue by that key. */
export const selectTask = ({ table }: { readonly table: string }, { pool }: TaskContext): Selected =>
  inSnapshot(pool, (connection) => {
    const { name, kind } = requireTable(connection, table);
    const key = kind === "table" ? primaryKeyOf(connection, name) : undefined;
    const order = key ? ` ORDER BY ${key.columns.map((column) => quoteName(column.name)).join()}` : "";
    return { table: name, sql: `SELECT * FROM ${quoteName(name)}${order}` };
  });

export function listTables(connection: DatabaseConnection, { after, limit, counted }: ListArgs): TableList {
  const found = connection
    .own(`SELECT name, type, ncol ${TABLES} AND (? IS NULL OR name > ?) ORDER BY name LIMIT ?`)
    .all(after ?? null, after ?? null, limit + 1);
  const until = countingTime();
  const toSummary = ([name, kind, columns]: Row): TableSummary => {
    const table = { name: String(name), kind: String(kind) as TableKind };
    const count = counted && kind === "table" ? countRows(connection, table, until) : {};
    const visible = kind === "table" ? Number(columns) : countColumns(connection, table.name);
    return { ...table, columns: visible, ...count };
  };
  return { tables: found.slice(0, limit).map(toSummary), truncated: found.length > limit };
}

/** The column count in pragma_table_list is not reliable for views and virtual tables that were not used before. */
function countColumns(connection: DatabaseConnection, table: string): number {
  try {
    return Number(
      connection.value("SELECT count(*) FROM temp.pragma_table_xinfo(?) WHERE hidden <> 1", table),
    );
  } catch {
    return 0;
  }
}

/** When to stop counting the rows of all tables that are looked at together. */
export const countingTime = (): number => performance.now() + COUNTING_MS;

/** Exact where there is time. Views are not counted: that may take arbitrarily long. */
export function countRows(
  connection: DatabaseConnection,
  { name, kind }: TableName,
  until: number,
): Pick<TableSummary, "rows" | "more"> {
  if (kind === "view") return {};
  try {
    for (let most = FIRST_COUNTED; ; most *= GROWTH) {
      const begun = performance.now();
      const sql = `SELECT count(*) FROM (SELECT 1 FROM ${quoteName(name)} LIMIT ?)`;
      const rows = Number(connection.value(sql, BigInt(most + 1)));
      if (rows <= most) return { rows };
      const now = performance.now();
      if (now + (now - begun) * GROWTH > until) return { rows: most, more: true };
    }
  } catch {
    // A virtual table without its module is still listed.
    return {};
  }
}

export function findTable(connection: DatabaseConnection, given: string): TableName | undefined {
  const [name, kind] =
    connection.own(`SELECT name, type ${TABLES} AND name = ? COLLATE NOCASE`).get(given) ?? [];
  return typeof name === "string" ? { name, kind: kind as TableKind } : undefined;
}

export function requireTable(connection: DatabaseConnection, given: string, otherwise?: string): TableName {
  const found = findTable(connection, given);
  if (found) return found;
  const names = connection
    .own(`SELECT name ${TABLES} LIMIT ${MOST_SUGGESTED}`)
    .all()
    .map(([known]) => String(known));
  const short = given.slice(0, 100);
  const meant = suggest(short, names);
  const near =
    meant === undefined ? `There are: ${citeAll(names, 20) || "none"}.` : `Did you mean ${cite(meant)}?`;
  throw new Fault("not_found", `There is no table ${JSON.stringify(short)}.`, {
    hint: otherwise === undefined ? near : `${otherwise} ${near}`,
  });
}
