import { Fault } from "@suite/server-kit/domain";
import { quoteName } from "../sql-policy/tokens.ts";
import { cite } from "../values/cite.ts";
import type { DatabaseConnection } from "./connection.ts";

const MOST_KEYS = 5;
/** Looking for the rows of a large table would take longer than the statement. */
const MOST_ROWS = 200_000;

const KEYS = `
  SELECT t.name, k.id, k."table", group_concat(k."from", ', '), group_concat(coalesce(k."to", ''), ', ')
  FROM sqlite_schema t, temp.pragma_foreign_key_list(t.name) k WHERE t.type = 'table' GROUP BY t.name, k.id`;

export interface Key {
  readonly table: string;
  readonly parent: string;
  readonly id: string;
  /** As `orders (user_id) -> users (id)`. */
  readonly words: string;
}

/**
 * Which keys a statement broke: SQLite does not say. It runs once more, with all keys checked at the end of the transaction, and
 * is taken back again.
 */
export function keysBrokenBy(connection: DatabaseConnection, run: () => void): readonly Key[] {
  const keys = keysOf(connection);
  connection.own("SAVEPOINT broken_key").run();
  try {
    const before = violationsOf(connection, keys);
    connection.deferForeignKeys(true);
    run();
    const now = violationsOf(connection, keys);
    return keys.filter((_, at) => (now[at] ?? 0) > (before[at] ?? 0));
  } catch {
    // RESTRICT cannot be put off.
    return [];
  } finally {
    connection.deferForeignKeys(false);
    connection.own("ROLLBACK TO broken_key").run();
    connection.own("RELEASE broken_key").run();
  }
}

/** Keys that rows violate now. */
export function brokenKeys(connection: DatabaseConnection): readonly Key[] {
  const keys = keysOf(connection);
  const counts = violationsOf(connection, keys);
  return keys.filter((_, at) => (counts[at] ?? 0) > 0);
}

export function withKeys(fault: unknown, keys: readonly Key[]): unknown {
  if (!(fault instanceof Fault) || keys.length === 0) return fault;
  const { code, message, hint, retryable, details, cause } = fault;
  const named = keys.slice(0, MOST_KEYS).map(({ words }) => words);
  return new Fault(code, `${message} The key: ${named.join("; ")}.`, {
    hint,
    retryable,
    details: { ...details, keys: named },
    cause,
  });
}

export const isOfKey = (thrown: unknown): boolean =>
  (thrown as { readonly code?: unknown }).code === "SQLITE_CONSTRAINT_FOREIGNKEY";

const keysOf = (connection: DatabaseConnection): readonly Key[] =>
  connection
    .own(KEYS)
    .all()
    .map(([table, id, parent, from, to]) => ({
      table: String(table),
      parent: String(parent),
      id: String(id),
      words: `${cite(String(table))} (${String(from)}) -> ${cite(String(parent))} (${String(to).replace(/^[, ]*$/, "primary key")})`,
    }));

function violationsOf(connection: DatabaseConnection, keys: readonly Key[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const table of new Set(keys.map((key) => key.table))) {
    for (const [id, count] of violationsIn(connection, table)) counts.set(`${id} ${table}`, count);
  }
  return keys.map(({ table, id }) => counts.get(`${id} ${table}`) ?? 0);
}

function violationsIn(connection: DatabaseConnection, table: string): readonly (readonly [string, number])[] {
  const counted = `SELECT count(*) FROM (SELECT 1 FROM main.${quoteName(table)} LIMIT ${MOST_ROWS + 1})`;
  if (Number(connection.value(counted)) > MOST_ROWS) return [];
  try {
    const found = connection
      .own("SELECT fkid, count(*) FROM temp.pragma_foreign_key_check(?) GROUP BY fkid")
      .all(table);
    return found.map(([id, count]) => [String(id), Number(count)]);
  } catch {
    // It does not match the table that it points to.
    return [];
  }
}
