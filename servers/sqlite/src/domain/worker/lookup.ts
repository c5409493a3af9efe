import type { DatabaseConnection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { Key } from "./foreign-keys.ts";
import type { Keys } from "./sqlite-error.ts";
import type { SchemaLookup } from "./statement-error.ts";

const MAX_NAMES = 5000;

const TABLES = `
  SELECT name FROM temp.pragma_table_list
  WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY name LIMIT ${MAX_NAMES}`;
const COLUMNS = "SELECT name FROM temp.pragma_table_xinfo(?)";
const FUNCTIONS = "SELECT DISTINCT name FROM temp.pragma_function_list";
const MAX_KEYS = 10;
const POINTED_TO = `SELECT DISTINCT "table" FROM temp.pragma_foreign_key_list(?) LIMIT ${MAX_KEYS}`;
const POINTING = `
  WITH keys AS MATERIALIZED (
    SELECT DISTINCT t.name, k."table" AS target, k.on_delete FROM sqlite_schema t, temp.pragma_foreign_key_list(t.name) k
    WHERE t.type = 'table' AND t.name <> k."table" COLLATE NOCASE
  ), emptied (name) AS (
    SELECT ? UNION
    SELECT k.name FROM emptied e JOIN keys k ON k.target = e.name COLLATE NOCASE AND k.on_delete = 'CASCADE'
  )
  SELECT DISTINCT k.name FROM emptied e JOIN keys k ON k.target = e.name COLLATE NOCASE
  WHERE k.on_delete NOT IN ('CASCADE', 'SET NULL') LIMIT ${MAX_KEYS}`;

type WithConnection = <T>(work: (connection: DatabaseConnection) => T) => T;

export function createLookup(use: WithConnection, broken: readonly Key[] = []): SchemaLookup {
  // If the schema cannot be read, nothing is suggested: the original error is the one to report.
  const names = (sql: string, ...params: string[]): string[] => {
    try {
      return use((connection) => connection.own(sql).all(...params)).map(([name]) => String(name));
    } catch {
      return [];
    }
  };
  return {
    tables: () => names(TABLES),
    columns: (tables) => [...new Set(tables.flatMap((table) => names(COLUMNS, table)))],
    functions: () => names(FUNCTIONS),
    keys: (table, verb) =>
      keysIn(broken, table) ?? {
        pointedTo: names(POINTED_TO, table),
        pointing: verb === "UPDATE" ? [] : names(POINTING, table),
        areBroken: false,
      },
    complaint: (sql) => use((connection) => connection.complaint(sql)),
  };
}

/** Only those that are broken, if that is known. */
function keysIn(broken: readonly Key[], changed: string): Keys | undefined {
  if (broken.length === 0) return undefined;
  const isChanged = (table: string): boolean => table.toLowerCase() === changed.toLowerCase();
  const own = broken.filter(({ table }) => isChanged(table));
  const others = broken.filter(({ table, parent }) => !isChanged(table) || isChanged(parent));
  const pointedTo = own.map(({ parent }) => parent);
  return { pointedTo, pointing: others.map(({ table }) => table), areBroken: true };
}

/** Borrows a reader for each piece of work. */
export const readerOf =
  (pool: ConnectionPool): WithConnection =>
  (work) => {
    const connection = pool.takeReader();
    try {
      return work(connection);
    } finally {
      pool.giveBack(connection);
    }
  };
