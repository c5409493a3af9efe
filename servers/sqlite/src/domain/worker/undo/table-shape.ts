import { quoteName } from "../../sql-policy/tokens.ts";
import type { SqlValue } from "../../values/cell.ts";
import type { DatabaseConnection } from "../connection.ts";
import { hasRowid, keyOfRowid } from "../keyset.ts";
import { findTable } from "../tables.ts";
import { rowidsOf } from "../update-preview.ts";

/** How the rows of a table are kept: the values that are stored, those that identify the row first. */
export interface TableShape {
  readonly name: string;
  /** The rowid is among them where no column stands for it. Generated columns are not: SQLite computes them again. */
  readonly columns: readonly string[];
  /** How many of them are the key. */
  readonly keys: number;
}

export type RowImage = readonly SqlValue[];

/** SQLite calls a function with 1,000 values at most. */
const MOST_COLUMNS = 990;

/** Undefined for views, virtual tables, and tables whose rows have no name. */
export function shapeOf(connection: DatabaseConnection, table: string): TableShape | undefined {
  const found = findTable(connection, table);
  if (found?.kind !== "table") return undefined;
  const { name } = found;
  const all = connection
    .own("SELECT name, hidden, pk FROM temp.pragma_table_xinfo(?) ORDER BY cid")
    .all(name);
  const stored = all.filter(([, hidden]) => hidden === 0n).map(([column]) => String(column));
  const key = hasRowid(connection, name) ? rowidOf(connection, name) : primaryOf(all);
  const columns = [...key, ...stored.filter((column) => !key.includes(column))];
  return key.length > 0 && columns.length <= MOST_COLUMNS ? { name, columns, keys: key.length } : undefined;
}

function rowidOf(connection: DatabaseConnection, table: string): string[] {
  const alias = keyOfRowid(connection, table)?.columns[0]?.name;
  return alias === undefined ? rowidsOf(connection, table).slice(0, 1) : [alias];
}

const primaryOf = (columns: readonly SqlValue[][]): string[] =>
  columns
    .filter(([, , place]) => place !== 0n)
    .toSorted(([, , one], [, , other]) => Number(one) - Number(other))
    .map(([name]) => String(name));

/** Finds a row by its key, exactly: two keys may be equal to a collation and different all the same. */
export function finderOf(
  connection: DatabaseConnection,
  { name, columns, keys }: TableShape,
): (image: RowImage) => RowImage | undefined {
  const names = columns.map(quoteName);
  const where = names.slice(0, keys).map((key) => `${key} IS ?`);
  const select = connection.own(
    `SELECT ${names.join()} FROM main.${quoteName(name)} WHERE ${where.join(" AND ")}`,
  );
  return (image) => {
    const key = image.slice(0, keys);
    const found = select.get(...key);
    return found && isSame(found.slice(0, keys), key) ? found : undefined;
  };
}

/** In the order of their keys. */
export function rowsOf(
  connection: DatabaseConnection,
  { name, columns, keys }: TableShape,
): IterableIterator<RowImage> {
  const list = columns.map(quoteName);
  const order = list.slice(0, keys).join();
  return connection.own(`SELECT ${list.join()} FROM main.${quoteName(name)} ORDER BY ${order}`).iterate();
}

export const isSame = (one: RowImage | undefined, other: RowImage | undefined): boolean =>
  one === other ||
  (one?.length === other?.length && (one ?? []).every((value, at) => isSameValue(value, other?.[at])));

const isSameValue = (one: SqlValue, other: SqlValue | undefined): boolean =>
  one === other || (one instanceof Uint8Array && other instanceof Uint8Array && one.compare(other) === 0);
