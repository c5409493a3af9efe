import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../../scratch.ts";

const { scratch, open } = useLocalDatabases();

const SCRIPT = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INT REFERENCES users, total REAL, state TEXT, at TEXT);
  CREATE TABLE indexed (a INT, b INT, c INT);
  CREATE INDEX ab ON indexed (a, b);
  CREATE TABLE "odd name" ("a b" INT, "x""y" TEXT);
  CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5(w);
  CREATE VIEW v AS SELECT * FROM orders;
`;

/** A statement, and the tables it reads from end to end. */
const ROWS: readonly (readonly [sql: string, scans: readonly string[]])[] = [
  ["SELECT * FROM orders WHERE state = 'open'", ["orders"]],
  ["SELECT * FROM orders AS o WHERE o.total > 3 AND o.state IN ('a', 'b')", ["orders"]],
  ["SELECT * FROM main.orders WHERE state = ? OR total = ?", ["orders"]],
  ["SELECT * FROM users u JOIN orders o ON u.id = o.user_id", ["orders"]],
  ["SELECT * FROM users u LEFT JOIN orders o ON o.user_id = u.id", ["users"]],
  ["SELECT * FROM users AS a CROSS JOIN users AS b ON a.city <> b.city WHERE b.name = 'x'", ["users"]],
  ["SELECT * FROM indexed WHERE b = 1", ["indexed"]],
  ["SELECT * FROM indexed WHERE b = 1 AND a = 2", []],
  ["SELECT a FROM indexed ORDER BY a", ["indexed"]],
  ["SELECT * FROM users WHERE id = 1", []],
  ["SELECT * FROM users WHERE id < 10", []],
  ["SELECT * FROM keyed WHERE +k = 'x' AND v = 1", ["keyed"]],
  ["UPDATE users SET name = 'x' WHERE city = 'y'", ["users"]],
  ["DELETE FROM users WHERE city = :city", ["users", "orders"]],
  ['SELECT * FROM "odd name" AS "the alias" WHERE "the alias"."a b" = 1', ["odd name"]],
  ["WITH orders AS MATERIALIZED (SELECT 1 AS state UNION SELECT 2) SELECT * FROM orders WHERE state = 1", []],
  ["SELECT * FROM (SELECT * FROM orders WHERE state = 'x') AS users WHERE users.total = 3", ["orders"]],
  ["SELECT * FROM v WHERE v.state = 'open'", ["orders"]],
  ["SELECT * FROM words WHERE w = 'x'", []],
  ["SELECT * FROM json_each('[1]') AS orders WHERE orders.value = 1", []],
];

describe("a plan", () => {
  it("flags full scans, by the names of the tables", async () => {
    const database = open({ file: scratch.create("a.db", SCRIPT) });
    for (const [sql, scans] of ROWS) {
      const plan = await database.task("explain", { sql });
      const seen = { sql, scans: plan.full_scans.map(({ table }) => table) };
      expect.soft(seen, JSON.stringify(plan.steps)).toEqual({ sql, scans });
    }
  });

  it("is a tree, and says what is sorted", async () => {
    const database = open({ file: scratch.create("a.db", SCRIPT) });
    const sql = "SELECT name FROM users WHERE id IN (SELECT user_id FROM orders) ORDER BY name";
    const plan = await database.task("explain", { sql });
    expect(plan.sorts).toEqual(["USE TEMP B-TREE FOR ORDER BY"]);
    const nested = plan.steps.find(({ steps = [] }) => steps.length > 0);
    expect(nested?.steps?.[0]?.detail).toBe("SCAN orders");
  });
});
