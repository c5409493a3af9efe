import type { Admitted } from "../gate/admit.ts";
import { keywordOf, quoteName } from "../gate/tokens.ts";
import { toCell } from "../values/cell.ts";
import { type Binding, type Param, toSqlValue } from "../values/params.ts";
import type { Connection, Prepared, Row } from "./connection.ts";
import { type Key, keyOf } from "./key-columns.ts";
import type { Session } from "./session.ts";

/** A statement that was prepared, with its values. */
export interface Bound {
  readonly admitted: Admitted;
  readonly binding: Binding;
  readonly prepared: Prepared;
}

/** So that a cursor stays short. */
const MOST_KEY_BYTES = 500;

/** With a `:` before it, the parameter for a value of the key. */
const PARAMETER = "__behind_";

/**
 * The key of a row, if what follows it can be found by that alone, whatever happened to the table since. That is so where
 * the query goes through one table or index in its order, and returns every column of that order.
 */
export function keyBehind(
  session: Session,
  connection: Connection,
  bound: Bound,
  row: Row,
): readonly Param[] | undefined {
  const key = findKey(connection, bound);
  const origins = key ? bound.prepared.statement.columns() : [];
  const values = key?.columns.map(({ name }) => {
    const at = origins.findIndex(({ table, column }) => table === key.table && column === name);
    return toKeyValue(row[at]);
  });
  if (!values?.every((value) => value !== undefined)) return undefined;
  try {
    return prepareRest(session, connection, bound, values) && values;
  } catch {
    // It uses something of the table that the rows left of it do not have: its rowid, an index by name.
    return undefined;
  }
}

/** The same query behind that key, if the key is one of it still. */
export function prepareRest(
  session: Session,
  connection: Connection,
  bound: Bound,
  after: readonly Param[],
): Bound | undefined {
  const key = findKey(connection, bound);
  if (!key || after.length !== key.columns.length) return undefined;
  const { walk } = bound.prepared;
  const admitted = session.admit(
    `${toCommonTable(key, walk?.backwards === true)}\n${bound.admitted.text}`,
    "read",
  );
  const values = key.columns.map(
    (_, at) => [PARAMETER + at, toSqlValue(after[at] ?? null, "the cursor")] as const,
  );
  const [anonymous, named] = bound.binding;
  const binding: Binding = [anonymous, { ...named, ...Object.fromEntries(values) }];
  const prepared = connection.prepare(admitted, binding);
  const rest = prepared.walk;
  const isSame = rest?.page === walk?.page && rest?.backwards === walk?.backwards;
  // Where the query calls the table by its full name, the key would change nothing.
  const isUsed = values.every((_, at) => rest?.parameters.has(at + 1));
  return isSame && isUsed ? { admitted, binding, prepared } : undefined;
}

function findKey(connection: Connection, { admitted, prepared }: Bound): Key | undefined {
  const { explain, tokens, slots } = admitted;
  if (!prepared.walk || explain !== undefined || keywordOf(tokens[0]) !== "SELECT") return undefined;
  // The key's parameters come first: a number would mean another one.
  const isTaken = slots.some((slot) => slot?.startsWith("?") || slot?.slice(1).startsWith(PARAMETER));
  return isTaken ? undefined : keyOf(connection, prepared.walk);
}

/** Stands before the query's own text, which goes on to call it by the table's name: the rows that are left of it. */
function toCommonTable({ table, columns }: Key, backwards: boolean): string {
  const sign = backwards ? "<" : ">";
  const names = columns.map(({ name, collation }) => `${quoteName(name)} COLLATE ${quoteName(collation)}`);
  const values = columns.map((_, at) => `:${PARAMETER}${at}`);
  // SQLite can look up one column, but not a list of columns with collations.
  const start = names.length > 1 ? `${names[0]} ${sign}= ${values[0]} AND ` : "";
  const rows = `"main".${quoteName(table)} WHERE ${start}(${names.join()}) ${sign} (${values.join()})`;
  return `WITH ${quoteName(table)} AS (SELECT * FROM ${rows})`;
}

/** Exactly, and shortly, or not at all. */
function toKeyValue(value: Row[number] | undefined): Param | undefined {
  // Nothing is greater than NULL, or smaller; and bytes that are no UTF-8 have become something else.
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string" && value.includes("\uFFFD")) return undefined;
  const cell = toCell(value, MOST_KEY_BYTES);
  return cell === null || (typeof cell === "object" && "truncated" in cell) ? undefined : cell;
}
