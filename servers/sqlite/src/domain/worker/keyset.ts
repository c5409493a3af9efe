import { digestOf } from "@suite/server-kit/domain";
import type { CursorPlace } from "../protocol.ts";
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

/** So that a cursor stays short. */
const MOST_KEY_BYTES = 500;

/** With a `:` before it, the parameter for a value of the key. */
const PARAMETER = "__behind_";

/** A key, and the way through it. */
interface Found extends Key {
  readonly walk: TableWalk;
}

/**
 * The key of a row, if what follows it can be found by that alone, whatever happened to the table since. That is so where
 * the query goes through one table or index in its order, and returns every column of that order.
 */
export function keyBehind(
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
    // It uses something of the table that the rows left of it do not have: its rowid, an index by name.
    return undefined;
  }
}

/** The same query behind that key, if the key is one of it still. */
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
  // Where the query calls the table by its full name, the key would change nothing.
  const isUsed = values.every((_, at) => rest?.parameters.has(at + 1));
  return isUsed && rest?.page === page && rest.backwards === backwards
    ? { admitted, binding, prepared }
    : undefined;
}

function findKey(connection: DatabaseConnection, { admitted, binding }: Bound): Found | undefined {
  const { explain, tokens, slots } = admitted;
  if (explain !== undefined || keywordOf(tokens[0]) !== "SELECT") return undefined;
  // The key's parameters come first: a number would mean another one.
  const isTaken = slots.some((slot) => slot?.startsWith("?") || slot?.slice(1).startsWith(PARAMETER));
  const walk = isTaken ? undefined : connection.walk(admitted, binding);
  const key = walk && keyOf(connection, walk);
  return key && { ...key, walk };
}

/** What the values of a key are of: they would mean something else in another order. Short, for cursors are copied by hand. */
function tagOf({ table, columns, walk }: Found): string {
  const order = [table, walk.backwards, ...columns.map(({ name, collation }) => [name, collation])];
  return digestOf(JSON.stringify(order), 4);
}

/** Stands before the query's own text, which goes on to call it by the table's name: the rows that are left of it. */
function toCommonTable({ table, columns, walk }: Found): string {
  const sign = walk.backwards ? "<" : ">";
  const names = columns.map(({ name, collation }) => `${quoteName(name)} COLLATE ${quoteName(collation)}`);
  const values = columns.map((_, at) => `:${PARAMETER}${at}`);
  // SQLite can look up one column, but not a list of columns with collations.
  const start = names.length > 1 ? `${names[0]} ${sign}= ${values[0]} AND ` : "";
  const rows = `"main".${quoteName(table)} WHERE ${start}(${names.join()}) ${sign} (${values.join()})`;
  return `WITH ${quoteName(table)} AS (SELECT * FROM ${rows})`;
}

/** Exactly, and shortly, or not at all. */
function toKeyValue(value: Row[number] | undefined): Param | undefined {
  // Nothing is greater than NULL, or smaller.
  if (value === null || value === undefined) return undefined;
  // What bytes become that are not UTF-8; and what SQLite makes of the other two where it keeps text as UTF-16.
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

/** The columns that make the order of what is walked through, and together are never the same twice. */
function keyOf(connection: DatabaseConnection, { page, backwards }: TableWalk): Key | undefined {
  const [type, name, table] =
    connection.own("SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage = ?").get(page) ?? [];
  if (typeof name !== "string" || typeof table !== "string") return undefined;
  // NULL stands first in an index and compares with nothing: backwards, its entries would never come.
  if (type === "index") return backwards ? undefined : keyOfIndex(connection, table, name);
  return hasRowid(connection, table) ? keyOfRowid(connection, table) : primaryKeyOf(connection, table);
}

export function primaryKeyOf(connection: DatabaseConnection, table: string): Key | undefined {
  const index = connection.value("SELECT name FROM temp.pragma_index_list(?) WHERE origin = 'pk'", table);
  return typeof index === "string" ? keyOfIndex(connection, table, index) : keyOfRowid(connection, table);
}

export const hasRowid = (connection: DatabaseConnection, table: string): boolean =>
  !connection.value("SELECT wr FROM temp.pragma_table_list WHERE schema = 'main' AND name = ?", table);

/** By the name that the table itself has for it: INTEGER PRIMARY KEY. Any other may change when the file is compacted. */
export function keyOfRowid(connection: DatabaseConnection, table: string): Key | undefined {
  const name = connection.value(
    `SELECT name FROM temp.pragma_table_xinfo(?)
     WHERE pk = 1 AND NOT EXISTS (SELECT 1 FROM temp.pragma_index_list(?) WHERE origin = 'pk')`,
    table,
    table,
  );
  return typeof name === "string" ? { table, columns: [{ name, collation: "BINARY" }] } : undefined;
}

/** Entries of an index that is not UNIQUE differ in what leads to their rows. */
function keyOfIndex(connection: DatabaseConnection, table: string, index: string): Key | undefined {
  const found = connection.own(
    `SELECT x.cid = -1, x.name, x.coll, x.desc FROM temp.pragma_index_list(?) AS i, temp.pragma_index_xinfo(i.name) AS x
     WHERE i.name = ? AND (x.key OR NOT i."unique") ORDER BY x.seqno`,
  );
  const columns = found.all(table, index).map(([isRowid, name, collation, descends]) => {
    if (isRowid) return keyOfRowid(connection, table)?.columns[0];
    // An expression has no name; and one comparison cannot go up and down at once.
    return typeof name === "string" && !descends ? { name, collation: String(collation) } : undefined;
  });
  return columns.every((column) => column !== undefined) ? { table, columns } : undefined;
}
