import { digestOf } from "@suite/server-kit/domain";
import type { CursorPlace } from "../protocol/statements.ts";
import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { keywordOf, quoteName } from "../sql-policy/tokens.ts";
import type { TableWalk } from "../sql-policy/walk.ts";
import { toCell } from "../values/cell.ts";
import { type Binding, type Param, toSqlValue } from "../values/params.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { DatabaseConnection, PreparedStatement, Row } from "./connection.ts";

/** A statement that was prepared, with its values. */
export interface Bound {
  readonly admitted: AdmittedStatement;
  readonly binding: Binding;
  readonly prepared: PreparedStatement;
}

/** Of each value, so that a cursor stays short. */
const MOST_KEY_BYTES = 500;

/** Begins the names of the parameters for key values. */
const PARAMETER = "__behind_";

/** A key, and how the query walks along it. */
interface Found extends Key {
  readonly walk: TableWalk;
}

/**
 * The key of a row, if the rows after it can be found by the key alone, whatever changes in the table meanwhile. That is so
 * if the query walks one table or index in its order and returns every column of that order.
 */
export function keyAfter(
  pool: ConnectionPool,
  connection: DatabaseConnection,
  bound: Bound,
  row: Row,
): CursorPlace | undefined {
  const key = findKey(connection, bound);
  if (!key) return undefined;
  const origins = bound.prepared.statement.columns();
  const values = key.columns.map(({ name }) => {
    const at = origins.findIndex(({ table, column }) => table === key.table && column === name);
    return toKeyValue(row[at]);
  });
  if (!values.every((value) => value !== undefined)) return undefined;
  try {
    return prepareBehind(pool, connection, bound, key, values) && [0, tagOf(key), ...values];
  } catch {
    // It uses something that the common table expression does not have: the rowid, or an index by name.
    return undefined;
  }
}

/** The same query from behind that key, if the query still has that key. */
export function prepareRest(
  pool: ConnectionPool,
  connection: DatabaseConnection,
  bound: Bound,
  [, tag, ...values]: CursorPlace,
): Bound | undefined {
  const key = findKey(connection, bound);
  return key && tag === tagOf(key) ? prepareBehind(pool, connection, bound, key, values) : undefined;
}

function prepareBehind(
  pool: ConnectionPool,
  connection: DatabaseConnection,
  bound: Bound,
  key: Found,
  given: readonly Param[],
): Bound | undefined {
  const { page, backwards } = key.walk;
  const admitted = pool.admit(`${toCommonTable(key)}\n${bound.admitted.text}`, "read");
  const values = key.columns.map(
    (_, at) => [PARAMETER + at, toSqlValue(given[at] ?? null, "the cursor")] as const,
  );
  const [anonymous, named] = bound.binding;
  const binding: Binding = [anonymous, { ...named, ...Object.fromEntries(values) }];
  const prepared = connection.prepare(admitted, binding);
  const rest = connection.walk(admitted, binding);
  // A query that names the table with its schema does not use the common table expression.
  const isUsed = values.every((_, at) => rest?.parameters.has(at + 1));
  return isUsed && rest?.page === page && rest.backwards === backwards
    ? { admitted, binding, prepared }
    : undefined;
}

function findKey(connection: DatabaseConnection, { admitted, binding }: Bound): Found | undefined {
  const { explain, tokens, slots } = admitted;
  if (explain !== undefined || keywordOf(tokens[0]) !== "SELECT") return undefined;
  // The key's parameters come first, so that `?1` would be another one.
  const isTaken = slots.some((slot) => slot?.startsWith("?") || slot?.slice(1).startsWith(PARAMETER));
  const walk = isTaken ? undefined : connection.walk(admitted, binding);
  const key = walk && keyOf(connection, walk);
  return key && { ...key, walk };
}

/** Identifies the order that the values of a key belong to. Short, because models copy cursors. */
function tagOf({ table, columns, walk }: Found): string {
  const order = [table, walk.backwards, ...columns.map(({ name, collation }) => [name, collation])];
  return digestOf(JSON.stringify(order), 4);
}

/** Put before the query: a common table expression with the table's name and only its remaining rows. */
function toCommonTable({ table, columns, walk }: Found): string {
  const sign = walk.backwards ? "<" : ">";
  const names = columns.map(({ name, collation }) => `${quoteName(name)} COLLATE ${quoteName(collation)}`);
  const values = columns.map((_, at) => `:${PARAMETER}${at}`);
  // SQLite can seek by one column, but not by a list of columns with collations.
  const start = names.length > 1 ? `${names[0]} ${sign}= ${values[0]} AND ` : "";
  const rows = `"main".${quoteName(table)} WHERE ${start}(${names.join()}) ${sign} (${values.join()})`;
  return `WITH ${quoteName(table)} AS (SELECT * FROM ${rows})`;
}

/** Undefined if the value cannot be exact, or is too long. */
function toKeyValue(value: Row[number] | undefined): Param | undefined {
  // No comparison with NULL is true.
  if (value === null || value === undefined) return undefined;
  // Bytes that are not UTF-8 become U+FFFD, and so do the other two in a database with UTF-16 text.
  if (typeof value === "string" && /[\uFFFD-\uFFFF]/.test(value)) return undefined;
  const cell = toCell(value, MOST_KEY_BYTES);
  return cell === null || (typeof cell === "object" && "truncated" in cell) ? undefined : cell;
}

export interface KeyColumn {
  readonly name: string;
  readonly collation: string;
}

interface Key {
  readonly table: string;
  readonly columns: readonly KeyColumn[];
}

/** The columns that order what is walked, unique together. */
function keyOf(connection: DatabaseConnection, { page, backwards }: TableWalk): Key | undefined {
  const [type, name, table] =
    connection.own("SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage = ?").get(page) ?? [];
  if (typeof name !== "string" || typeof table !== "string") return undefined;
  // NULLs are first in an index, and no comparison with NULL is true: a backward walk would miss them.
  if (type === "index") return backwards ? undefined : keyOfIndex(connection, table, name);
  return hasRowid(connection, table) ? keyOfRowid(connection, table) : primaryKeyOf(connection, table);
}

export function primaryKeyOf(connection: DatabaseConnection, table: string): Key | undefined {
  const index = connection.value("SELECT name FROM temp.pragma_index_list(?) WHERE origin = 'pk'", table);
  return typeof index === "string" ? keyOfIndex(connection, table, index) : keyOfRowid(connection, table);
}

export const hasRowid = (connection: DatabaseConnection, table: string): boolean =>
  !connection.value("SELECT wr FROM temp.pragma_table_list WHERE schema = 'main' AND name = ?", table);

/** Only if it is an INTEGER PRIMARY KEY: VACUUM may change any other rowid. */
export function keyOfRowid(connection: DatabaseConnection, table: string): Key | undefined {
  const name = connection.value(
    `SELECT name FROM temp.pragma_table_xinfo(?)
     WHERE pk = 1 AND NOT EXISTS (SELECT 1 FROM temp.pragma_index_list(?) WHERE origin = 'pk')`,
    table,
    table,
  );
  return typeof name === "string" ? { table, columns: [{ name, collation: "BINARY" }] } : undefined;
}

/** Entries of an index that is not UNIQUE are unique with the rowid or primary key at their end. */
function keyOfIndex(connection: DatabaseConnection, table: string, index: string): Key | undefined {
  const found = connection.own(
    `SELECT x.cid = -1, x.name, x.coll, x.desc FROM temp.pragma_index_list(?) AS i, temp.pragma_index_xinfo(i.name) AS x
     WHERE i.name = ? AND (x.key OR NOT i."unique") ORDER BY x.seqno`,
  );
  const columns = found.all(table, index).map(([isRowid, name, collation, descends]) => {
    if (isRowid) return keyOfRowid(connection, table)?.columns[0];
    // An expression has no name, and one comparison cannot mix ascending and descending columns.
    return typeof name === "string" && !descends ? { name, collation: String(collation) } : undefined;
  });
  return columns.every((column) => column !== undefined) ? { table, columns } : undefined;
}
