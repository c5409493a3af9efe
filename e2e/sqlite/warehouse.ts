import { execFileSync } from "node:child_process";

import { inSoak } from "../support/soak.ts";
import { createDatabase, withDirect } from "./direct.ts";

export const ORDERS: number = inSoak(1_000_000, 100_000);

/** Numbers that look like chance and are the same every time. */
const chance = (seed: string, below: number): string =>
  `abs((${seed}) * 2654435761 % 4294967296 / 7 % ${below})`;

/** Many orders of ten thousand customers, and something of everything around them. */
const SCRIPT = `
  PRAGMA journal_mode = wal;
  PRAGMA synchronous = off;
  PRAGMA foreign_keys = off;
  BEGIN;
  CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, country TEXT NOT NULL, profile TEXT CHECK (json_valid(profile)),
    age INT GENERATED ALWAYS AS (profile ->> '$.age') VIRTUAL
  );
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
  INSERT INTO customers (id, name, country, profile) SELECT i, 'Customer ' || i, char(65 + ${chance("i", 26)}, 65 + ${chance("i + 7", 26)}),
    json_object('age', 18 + ${chance("i * 3", 70)}, 'tags', json_array('t' || i % 7, 't' || i % 11), 'vip', json(iif(i % 10, 'false', 'true'))) FROM n;
  CREATE TABLE products (sku TEXT PRIMARY KEY, price REAL NOT NULL, stock INT NOT NULL) STRICT, WITHOUT ROWID;
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
  INSERT INTO products SELECT printf('SKU-%04d', i), (100 + ${chance("i * 5", 9900)}) / 100.0, ${chance("i", 1000)} FROM n;
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INT NOT NULL REFERENCES customers, sku TEXT NOT NULL REFERENCES products, quantity INT NOT NULL,
    at TEXT NOT NULL, note TEXT, double_quantity INT AS (quantity * 2) STORED
  );
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ORDERS})
  INSERT INTO orders (id, customer_id, sku, quantity, at, note) SELECT i, 1 + ${chance("i", 10000)}, printf('SKU-%04d', 1 + ${chance("i * 3", 500)}),
    1 + ${chance("i * 11", 20)}, date('2020-01-01', '+' || ${chance("i * 13", 2000)} || ' days'), iif(i % 97, NULL, 'note ' || i) FROM n;
  CREATE INDEX orders_customer ON orders (customer_id, at);
  CREATE VIRTUAL TABLE notes USING fts5(body);
  INSERT INTO notes (rowid, body) SELECT id, note || ' about ' || sku FROM orders WHERE note IS NOT NULL;
  CREATE VIEW spending AS SELECT customer_id, sum(quantity * price) AS spent FROM orders JOIN products USING (sku) GROUP BY customer_id;
  COMMIT;
  ANALYZE;
`;

/** By the shell of SQLite where there is one: somebody else's hand. */
export function createWarehouse(file: string): string {
  if (!hasShell()) return createDatabase(file, SCRIPT);
  execFileSync("sqlite3", ["-bail", file], { input: SCRIPT, stdio: ["pipe", "ignore", "inherit"] });
  return file;
}

let shell: boolean | undefined;

function hasShell(): boolean {
  try {
    shell ??= execFileSync("sqlite3", ["--version"], { stdio: ["ignore", "pipe", "ignore"] }).length > 0;
  } catch {
    shell = false;
  }
  return shell;
}

/** What the shell says, or where it is missing the library itself: the rows of a query that has texts and small integers. */
export function askElsewhere(file: string, sql: string): unknown[][] {
  if (!hasShell()) return withDirect(file, (database) => database.prepare(sql).raw().all() as unknown[][]);
  const text = execFileSync("sqlite3", ["-json", file, sql], { encoding: "utf8", maxBuffer: 2 ** 28 });
  return (JSON.parse(text === "" ? "[]" : text) as Record<string, unknown>[]).map((row) =>
    Object.values(row),
  );
}
