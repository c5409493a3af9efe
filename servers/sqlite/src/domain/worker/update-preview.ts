import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { withReturning } from "../sql-policy/statement.ts";
import { keywordOf, nameOf, quoteName, type Token } from "../sql-policy/tokens.ts";
import type { RowPage, PageLimits } from "../protocol/statements.ts";
import { isCut, toCell } from "../values/cell.ts";
import { type Binding, toSqlValue, type Param } from "../values/params.ts";
import type { DatabaseConnection } from "./connection.ts";
import { hasRowid, keyOfRowid, primaryKeyOf } from "./keyset.ts";
import { findTable } from "./tables.ts";

/** An UPDATE whose rows can be found again after the rollback. */
export interface UpdatePreview {
  /** With RETURNING the key, the columns in `shown`, and all columns. */
  readonly admitted: AdmittedStatement;
  readonly table: string;
  /** Unique for each row. The rowid if there is one: a primary key beside it may be NULL in many rows. */
  readonly key: readonly string[];
  /** What identifies the row to a reader: the primary key if there is one. */
  readonly shown: readonly string[];
  /** The columns that it sets, and perhaps others, in lower case. */
  readonly set: ReadonlySet<string>;
}

/** Each is the rowid unless a column has that name. */
const ROWIDS = ["rowid", "_rowid_", "oid"];

/** Undefined for other statements, views and virtual tables, and if the key itself is changed or has no name. */
export function previewUpdate(
  connection: DatabaseConnection,
  admitted: AdmittedStatement,
  binding: Binding,
): UpdatePreview | undefined {
  if (admitted.verb !== "UPDATE") return undefined;
  const { name, set } = targetOf(admitted.tokens.slice(admitted.verbAt + 1));
  const found = name === undefined ? undefined : findTable(connection, name);
  if (found?.kind !== "table") return undefined;
  const primary = namesOf(primaryKeyOf(connection, found.name));
  const rowids = rowidsOf(connection, found.name);
  const key = hasRowid(connection, found.name)
    ? (namesOf(keyOfRowid(connection, found.name)) ?? rowids.slice(0, 1))
    : (primary ?? []);
  if (key.length === 0) return undefined;
  const shown = primary ?? key;
  const taken = new Set([...key, ...shown, ...rowids].map((column) => column.toLowerCase()));
  if ([...set].some((column) => taken.has(column))) return undefined;
  // SQLite labels each of these names "rowid", which may be another column.
  const returned = [...key, ...shown].map(quoteName).map((column) => `${column} AS ${column}`);
  const text = withReturning(admitted, `${returned.join(", ")}, *`);
  const returning = { ...admitted, text, returning: true };
  try {
    connection.prepare(returning, binding);
  } catch {
    // It may be valid without RETURNING. If not, its own error is the one to report.
    return undefined;
  }
  return { admitted: returning, table: found.name, key, shown, set };
}

const namesOf = (key: ReturnType<typeof primaryKeyOf>): string[] | undefined =>
  key?.columns.map((column) => column.name);

/** Names of the rowid that no column has taken. */
export function rowidsOf(connection: DatabaseConnection, table: string): string[] {
  const columns = connection.own("SELECT lower(name) FROM temp.pragma_table_xinfo(?)").all(table);
  const taken = new Set(columns.map(([name]) => name));
  return ROWIDS.filter((name) => !taken.has(name));
}

/** `UPDATE [OR action] [schema.]table … SET a = …, (b, c) = …` */
function targetOf(tokens: readonly Token[]): {
  readonly name: string | undefined;
  readonly set: ReadonlySet<string>;
} {
  const start = keywordOf(tokens[0]) === "OR" ? 2 : 0;
  const at = tokens[start + 1]?.text === "." ? start + 2 : start;
  const name = nameOf(tokens[at]);
  const setAt = tokens.findIndex((token) => keywordOf(token) === "SET");
  // Every name that may be set: more than are, to be on the safe side.
  const set = tokens.slice(setAt).flatMap((token, place, all) => {
    const isSet =
      ["=", ",", ")"].includes(all[place + 1]?.text ?? "") &&
      ["SET", ",", "("].includes(all[place - 1]?.text.toUpperCase() ?? "");
    const column = isSet ? nameOf(token) : undefined;
    return column === undefined ? [] : [column.toLowerCase()];
  });
  return { name, set: new Set(set) };
}

/** The sample with values before and after: only the key and the columns that would change. */
export function compareRows(
  connection: DatabaseConnection,
  { table, key, shown, set }: UpdatePreview,
  after: RowPage,
  { maxCellBytes = 2000 }: PageLimits,
): RowPage {
  const select = selectByKey(connection, table, key);
  const before = after.rows.flatMap((row) => {
    const cells = row.slice(0, key.length);
    if (cells.some(isCut)) return [];
    const found = select?.get(...cells.map((cell) => toSqlValue(cell as Param, "the key")));
    return found ? [found.map((value) => toCell(value, maxCellBytes))] : [];
  });
  const first = key.length + shown.length;
  const columns = after.columns.slice(first);
  // A row that the same batch made, or whose key was cut or is not UTF-8, is not found: then the rows are shown as for any other statement.
  if (before.length < after.rows.length)
    return { ...after, columns, rows: after.rows.map((row) => row.slice(first)) };
  const changed = columns.flatMap((column, at) => {
    const isSet = set.has(column.name.toLowerCase());
    const isSame = after.rows.every((row, place) => {
      const cell = row[at + first] ?? null;
      // The difference may be in the part that was cut.
      return !(isSet && isCut(cell)) && JSON.stringify(cell) === JSON.stringify(before[place]?.[at]);
    });
    return isSame ? [] : [{ column, at }];
  });
  return {
    columns: [
      ...after.columns.slice(key.length, first),
      ...changed.flatMap(({ column }) => [
        { ...column, name: `${column.name} before` },
        { ...column, name: `${column.name} after` },
      ]),
    ],
    rows: after.rows.map((row, place) => [
      ...row.slice(key.length, first),
      ...changed.flatMap(({ at }) => [before[place]?.[at] ?? null, row[at + first] ?? null]),
    ]),
    truncated: after.truncated,
  };
}

/** Undefined if the table was made, or got its key, by what has just been rolled back. */
function selectByKey(
  connection: DatabaseConnection,
  table: string,
  key: readonly string[],
): ReturnType<DatabaseConnection["own"]> | undefined {
  const where = key.map((column) => `${quoteName(column)} IS ?`).join(" AND ");
  try {
    return connection.own(`SELECT * FROM ${quoteName(table)} WHERE ${where}`);
  } catch {
    return undefined;
  }
}
