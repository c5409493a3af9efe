import type { Walk } from "../sql-policy/walk.ts";
import type { Connection } from "./connection.ts";

export interface KeyColumn {
  readonly name: string;
  readonly collation: string;
}

export interface Key {
  readonly table: string;
  readonly columns: readonly KeyColumn[];
}

/** The columns that make the order of what is walked through, and together are never the same twice. */
export function keyOf(connection: Connection, { page, backwards }: Walk): Key | undefined {
  const [type, name, table] =
    connection.own("SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage = ?").get(page) ?? [];
  if (typeof name !== "string" || typeof table !== "string") return undefined;
  // NULL stands first in an index and compares with nothing: backwards, its entries would never come.
  if (type === "index") return backwards ? undefined : keyOfIndex(connection, table, name);
  return hasRowid(connection, table) ? keyOfRowid(connection, table) : primaryKeyOf(connection, table);
}

export function primaryKeyOf(connection: Connection, table: string): Key | undefined {
  const index = connection.value("SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'", table);
  return typeof index === "string" ? keyOfIndex(connection, table, index) : keyOfRowid(connection, table);
}

const hasRowid = (connection: Connection, table: string): boolean =>
  !connection.value("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", table);

/** By the name that the table itself has for it: INTEGER PRIMARY KEY. Any other may change when the file is compacted. */
function keyOfRowid(connection: Connection, table: string): Key | undefined {
  const name = connection.value(
    `SELECT name FROM pragma_table_xinfo(?)
     WHERE pk = 1 AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk')`,
    table,
    table,
  );
  return typeof name === "string" ? { table, columns: [{ name, collation: "BINARY" }] } : undefined;
}

/** Entries of an index that is not UNIQUE differ in what leads to their rows. */
function keyOfIndex(connection: Connection, table: string, index: string): Key | undefined {
  const found = connection.own(
    `SELECT x.cid = -1, x.name, x.coll, x.desc FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS x
     WHERE i.name = ? AND (x.key OR NOT i."unique") ORDER BY x.seqno`,
  );
  const columns = found.all(table, index).map(([isRowid, name, collation, descends]) => {
    if (isRowid) return keyOfRowid(connection, table)?.columns[0];
    // An expression has no name; and one comparison cannot go up and down at once.
    return typeof name === "string" && !descends ? { name, collation: String(collation) } : undefined;
  });
  return columns.every((column) => column !== undefined) ? { table, columns } : undefined;
}
