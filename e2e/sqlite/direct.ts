import { createRequire } from "node:module";

import { inRoot } from "../support/root.ts";

/** What the tests use of better-sqlite3, which is the server's dependency and not theirs. */
export interface DirectDatabase {
  exec(sql: string): DirectDatabase;
  pragma(sql: string, options: { readonly simple: true }): unknown;
  prepare(sql: string): DirectStatement;
  close(): void;
}

export interface DirectStatement {
  raw(): DirectStatement;
  pluck(): DirectStatement;
  safeIntegers(): DirectStatement;
  all(...params: unknown[]): unknown[];
  get(...params: unknown[]): unknown;
  run(...params: unknown[]): { readonly changes: number };
}

interface OpenOptions {
  readonly readonly?: boolean;
  readonly timeout?: number;
}

const requireOfServer = createRequire(inRoot("servers/sqlite/package.json"));
/** The library, for programs that are started on their own. */
export const LIBRARY: string = requireOfServer.resolve("better-sqlite3");
const Database = requireOfServer(LIBRARY) as new (file: string, options?: OpenOptions) => DirectDatabase;

/** The database without any server: what is true of the file. */
export const openDirect = (file: string, options?: OpenOptions): DirectDatabase =>
  new Database(file, options);

/** Opens it for the moment. */
export function withDirect<T>(file: string, work: (database: DirectDatabase) => T, options?: OpenOptions): T {
  const database = openDirect(file, options);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Makes a database file from a script. */
export function createDatabase(file: string, script: string): string {
  withDirect(file, (database) => database.exec(script));
  return file;
}

export const rowsOf = (file: string, sql: string, ...params: unknown[]): unknown[] =>
  withDirect(file, (database) =>
    database
      .prepare(sql)
      .raw()
      .all(...params),
  );
