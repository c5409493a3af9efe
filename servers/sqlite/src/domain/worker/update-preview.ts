import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { keywordOf, nameOf, quoteName, type Token } from "../sql-policy/tokens.ts";
import type { RowPage, PageLimits } from "../protocol.ts";
import { type Cell, toCell } from "../values/cell.ts";
import { type Binding, toSqlValue, type Param } from "../values/params.ts";
import type { DatabaseConnection } from "./connection.ts";
import { hasRowid, keyOfRowid, primaryKeyOf } from "./keyset.ts";
import { findTable } from "./tasks/objects.ts";

/** An UPDATE whose rows can be found again once it is undone. */
export interface UpdatePreview {
  /** With the key, what is shown of it, and all columns RETURNING. */
  readonly admitted: AdmittedStatement;
  readonly table: string;
  /** What no two rows have in common. A primary key beside a rowid may be NULL in many. */
  readonly key: readonly string[];
  /** What a reader knows the row by: the primary key if there is one. */
  readonly shown: readonly string[];
  /** The columns that it sets, and perhaps others, in small letters. */
  readonly set: ReadonlySet<string>;
}

/** Each of them is the rowid unless a column is called so. */
const ROWIDS = ["rowid", "_rowid_", "oid"];

/** None for other statements, for views and virtual tables, and where the key itself is changed or has no name. */
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
  // SQLite calls every name of the rowid "rowid", which may be another column.
  const returned = [...key, ...shown].map(quoteName).map((column) => `${column} AS ${column}`);
  const text = `${admitted.text} RETURNING ${returned.join(", ")}, *`;
  const returning = { ...admitted, text, returning: true };
  try {
    connection.prepare(returning, binding);
  } catch {
    // It may be right without: an UPDATE with LIMIT has no RETURNING at its end.
    return undefined;
  }
  return { admitted: returning, table: found.name, key, shown, set };
}

const namesOf = (key: ReturnType<typeof primaryKeyOf>): string[] | undefined =>
  key?.columns.map((column) => column.name);

function rowidsOf(connection: DatabaseConnection, table: string): string[] {
  const columns = connection.own("SELECT lower(name) FROM temp.pragma_table_xinfo(?)").all(table);
  const taken = new Set(columns.map(([name]) => name));
  return ROWIDS.filter((name) => !taken.has(name));
}

/** `UPDATE [OR action] [schema.]table … SET a = …, (b, c) = …` */
function targetOf(tokens: readonly Token[]): {
  readonly name?: string;
  readonly set: ReadonlySet<string>;
} {
  const start = keywordOf(tokens[0]) === "OR" ? 2 : 0;
  const at = tokens[start + 1]?.text === "." ? start + 2 : start;
  const name = nameOf(tokens[at]);
  const setAt = tokens.findIndex((token) => keywordOf(token) === "SET");
  // Every name before an equals sign: more than the columns that are set, which is the safe side.
  const set = tokens.slice(setAt).flatMap((token, place, all) => {
    const isSet =
      ["=", ",", ")"].includes(all[place + 1]?.text ?? "") &&
      ["SET", ",", "("].includes(all[place - 1]?.text.toUpperCase() ?? "");
    const column = isSet ? nameOf(token) : undefined;
    return column === undefined ? [] : [column.toLowerCase()];
  });
  return { ...(name !== undefined && { name }), set: new Set(set) };
}

const isCut = (cell: Cell): boolean => typeof cell === "object" && cell !== null && "truncated" in cell;

/** The sample with what was there before, and only the columns that would change beside the key. */
export function compareRows(
  connection: DatabaseConnection,
  { table, key, shown, set }: UpdatePreview,
  after: RowPage,
  { maxCellBytes = 2000 }: PageLimits,
): RowPage {
  const where = key.map((column) => `${quoteName(column)} IS ?`).join(" AND ");
  const select = connection.own(`SELECT * FROM ${quoteName(table)} WHERE ${where}`);
  const before = after.rows.flatMap((row) => {
    const cells = row.slice(0, key.length);
    if (cells.some(isCut)) return [];
    const found = select.get(...cells.map((cell) => toSqlValue(cell as Param, "the key")));
    return found ? [found.map((value) => toCell(value, maxCellBytes))] : [];
  });
  const first = key.length + shown.length;
  const columns = after.columns.slice(first);
  // By a key that is shown in part, or is no UTF-8, no row is found: then they are as any other statement shows them.
  if (before.length < after.rows.length)
    return { ...after, columns, rows: after.rows.map((row) => row.slice(first)) };
  const changed = columns.flatMap((column, at) => {
    const isSet = set.has(column.name.toLowerCase());
    const isSame = after.rows.every((row, place) => {
      const cell = row[at + first] ?? null;
      // What differs may be behind the cut.
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
