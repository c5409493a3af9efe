import { RECORDING } from "../../sql-policy/opcodes.ts";
import { quoteName } from "../../sql-policy/tokens.ts";
import type { SqlValue } from "../../values/cell.ts";
import type { DatabaseConnection } from "../connection.ts";
import { hasRowid, keyOfRowid } from "../keyset.ts";
import { findTable } from "../tables.ts";
import { indexClausesOf } from "../definition.ts";
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

/** SQLite calls a function with 1,000 values at most, and an update has a row twice. */
const MOST_COLUMNS = 490;

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

/** By its key, exactly: two keys may be equal to a collation and different all the same. */
export function rowOf(
  connection: DatabaseConnection,
  { name, columns, keys }: TableShape,
  image: RowImage,
): RowImage | undefined {
  const where = columns.slice(0, keys).map((column) => `${quoteName(column)} IS ?`);
  const list = columns.map(quoteName).join();
  const select = connection.own(`SELECT ${list} FROM main.${quoteName(name)} WHERE ${where.join(" AND ")}`);
  const key = image.slice(0, keys);
  const found = select.get(...key);
  return found && isSame(found.slice(0, keys), key) ? found : undefined;
}

export const isSame = (one: RowImage | undefined, other: RowImage | undefined): boolean =>
  one === other ||
  (one?.length === other?.length && (one ?? []).every((value, at) => isSameValue(value, other?.[at])));

const isSameValue = (one: SqlValue, other: SqlValue | undefined): boolean =>
  one === other || (one instanceof Uint8Array && other instanceof Uint8Array && one.compare(other) === 0);

/** What the function is told. */
export const EVENTS = { insert: 0, delete: 1, update: 2, mayReplace: 3 } as const;

/** The triggers that record the rows of a table under a number, each by its name. */
export function recordingTriggers(
  connection: DatabaseConnection,
  shape: TableShape,
  number: number,
  part: "rows" | "replaced",
): readonly (readonly [name: string, sql: string])[] {
  const table = `main.${quoteName(shape.name)}`;
  const valuesOf = (side: string): string => shape.columns.map((one) => `${side}.${quoteName(one)}`).join();
  const toTrigger = (when: string, event: number, values: string, from = ""): readonly [string, string] => {
    const name = `${RECORDING}_${number}_${when.toLowerCase().replace(" ", "_")}`;
    const call = `SELECT ${RECORDING}(${number}, ${event}, ${values})${from}`;
    return [name, `CREATE TEMP TRIGGER ${name} ${when} ON ${table} BEGIN ${call}; END`];
  };
  if (part === "rows") {
    return [
      toTrigger("AFTER INSERT", EVENTS.insert, valuesOf("new")),
      toTrigger("AFTER DELETE", EVENTS.delete, valuesOf("old")),
      toTrigger("AFTER UPDATE", EVENTS.update, `${valuesOf("old")}, ${valuesOf("new")}`),
    ];
  }
  const alike = conditionsOf(connection, shape);
  const from = ` FROM ${table} AS suite_row WHERE ${alike.join(" OR ")}`;
  return ["BEFORE INSERT", "BEFORE UPDATE"].map((when) =>
    toTrigger(when, EVENTS.mayReplace, valuesOf("suite_row"), from),
  );
}

/** Where a row that is about to be written may replace another. SQLite tells no trigger that it does. */
function conditionsOf(
  connection: DatabaseConnection,
  { name, columns, keys }: TableShape,
): readonly string[] {
  const toSame = (column: string, collation: string): string =>
    `suite_row.${quoteName(column)} = new.${quoteName(column)} COLLATE ${quoteName(collation)}`;
  const byKey = columns.slice(0, keys).map((column) => toSame(column, "BINARY"));
  const indexes = connection
    .own(
      `SELECT l.name, s.sql FROM temp.pragma_index_list(?) l LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = l.name
       WHERE l."unique"`,
    )
    .all(name)
    .map(([index, sql]) => {
      const parts = connection
        .own("SELECT name, coll FROM temp.pragma_index_xinfo(?) WHERE key ORDER BY seqno")
        .all(String(index));
      const { where } = indexClausesOf(String(sql ?? ""));
      // Of an expression nothing is asked, so that more rows are looked at than are replaced.
      const same = parts.flatMap(([column, collation]) =>
        typeof column === "string" ? [toSame(column, String(collation))] : [],
      );
      return [...same, ...(where === undefined ? [] : [`(${where})`])].join(" AND ") || "1";
    });
  return [byKey.join(" AND "), ...indexes];
}
