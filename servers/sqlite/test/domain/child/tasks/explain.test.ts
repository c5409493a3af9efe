import { describe, expect, it } from "vitest";
import type { Plan } from "../../../../src/domain/child/tasks/explain.ts";
import { useChildProgram } from "../../child-program.ts";
import { unstopped, useDatabases, useScratch } from "../../scratch.ts";

const program = useChildProgram();
const scratch = useScratch();
const open = useDatabases(program);

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

const index = (table: string, ...columns: string[]): string => {
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  return `CREATE INDEX ${quote([table, ...columns].join("_"))} ON ${quote(table)} (${columns.map(quote).join(", ")})`;
};

/** A statement, the tables it reads from end to end, and the indexes that could help. */
const ROWS: readonly (readonly [sql: string, scans: readonly string[], suggestions: readonly string[]])[] = [
  ["SELECT * FROM orders WHERE state = 'open'", ["orders"], [index("orders", "state")]],
  ["SELECT * FROM orders WHERE 'open' = state", ["orders"], [index("orders", "state")]],
  [
    "SELECT * FROM orders AS o WHERE o.total > 3 AND o.state IN ('a', 'b')",
    ["orders"],
    [index("orders", "state", "total")],
  ],
  ["SELECT * FROM orders o WHERE O.TOTAL BETWEEN 1 AND 2 AND at < ?", ["orders"], [index("orders", "total")]],
  [
    "SELECT * FROM main.orders WHERE state = ? OR total = ?",
    ["orders"],
    [index("orders", "state"), index("orders", "total")],
  ],
  ["SELECT * FROM users u JOIN orders o ON u.id = o.user_id", ["orders"], []],
  [
    "SELECT * FROM users u JOIN orders o ON u.id = o.user_id WHERE o.total > 3",
    ["orders"],
    [index("orders", "total")],
  ],
  ["SELECT * FROM users u LEFT JOIN orders o ON o.user_id = u.id", ["users"], [index("orders", "user_id")]],
  [
    "SELECT * FROM users AS a CROSS JOIN users AS b ON a.city <> b.city WHERE b.name = 'x'",
    ["users"],
    [index("users", "name")],
  ],
  ["SELECT * FROM indexed WHERE b = 1", ["indexed"], [index("indexed", "b")]],
  ["SELECT * FROM indexed WHERE b = 1 AND a = 2", [], []],
  ["SELECT * FROM indexed NOT INDEXED WHERE b = 1 AND a = 2", ["indexed"], []],
  ["SELECT * FROM users", ["users"], []],
  ["SELECT * FROM users WHERE id = 1", [], []],
  ["SELECT * FROM users NOT INDEXED WHERE id + 0 = 1", ["users"], []],
  ["SELECT * FROM keyed WHERE +k = 'x' AND v = 1", ["keyed"], [index("keyed", "v")]],
  ["SELECT * FROM users WHERE lower(name) = 'x' AND name || city = 'y' AND city IS NOT NULL", ["users"], []],
  ["SELECT * FROM users WHERE name = city", ["users"], []],
  ["SELECT name = 'x', CASE WHEN city = 'y' THEN 1 END FROM users ORDER BY name = 'z'", ["users"], []],
  ["SELECT * FROM users WHERE CASE WHEN city = 'y' THEN 1 END", ["users"], []],
  ["SELECT * FROM users WHERE name IS NOT DISTINCT FROM 'x'", ["users"], []],
  ["UPDATE users SET name = 'x' WHERE city = 'y'", ["users"], [index("users", "city")]],
  [
    "DELETE FROM users WHERE city = :city",
    ["users", "orders"],
    [index("users", "city"), index("orders", "user_id")],
  ],
  [
    'SELECT * FROM "odd name" AS "the alias" WHERE "the alias"."a b" = 1',
    ["odd name"],
    [index("odd name", "a b")],
  ],
  ['SELECT * FROM [odd name] WHERE "x""y" = 1', ["odd name"], [index("odd name", 'x"y')]],
  [
    "WITH orders AS MATERIALIZED (SELECT 1 AS state UNION SELECT 2) SELECT * FROM orders WHERE state = 1",
    [],
    [],
  ],
  [
    "SELECT * FROM (SELECT * FROM orders WHERE state = 'x') AS users WHERE users.total = 3",
    ["orders"],
    [index("orders", "state")],
  ],
  [
    "SELECT * FROM users WHERE EXISTS (SELECT 1 FROM orders WHERE user_id = users.id)",
    ["users"],
    [index("orders", "user_id")],
  ],
  ["SELECT * FROM v WHERE v.state = 'open'", ["orders"], []],
  ["SELECT * FROM words WHERE w = 'x'", [], []],
  ["SELECT * FROM json_each('[1]') AS orders WHERE orders.value = 1", [], []],
  [
    "INSERT INTO users (name) SELECT state FROM orders WHERE total = 1 ON CONFLICT (id) DO UPDATE SET name = 'x' WHERE city = 'y'",
    ["orders"],
    [index("orders", "total")],
  ],
];

describe("a plan", () => {
  it("flags full scans, and advises on indexes by qualifiers and aliases", async () => {
    const database = open({ file: scratch.create("a.db", SCRIPT) });
    for (const [sql, scans, suggestions] of ROWS) {
      const plan = (await database.task("explain", { sql }, unstopped())) as Plan;
      const seen = { sql, scans: plan.full_scans, suggestions: plan.suggestions };
      expect.soft(seen, JSON.stringify(plan.steps)).toEqual({ sql, scans, suggestions });
    }
  });

  it("is advised by statements that work, and help", async () => {
    const file = scratch.create("a.db", `${SCRIPT} INSERT INTO users VALUES (1, 'x', 'y');`);
    const database = open({ file, mode: "write", allowDdl: true });
    for (const [sql] of ROWS) {
      const { suggestions } = (await database.task("explain", { sql }, unstopped())) as Plan;
      for (const suggestion of suggestions)
        await database.write({ sql: suggestion, dryRun: true }, unstopped());
    }
    const sql = "SELECT * FROM orders o WHERE o.total > 3 AND o.state = 'a'";
    const { suggestions } = (await database.task("explain", { sql }, unstopped())) as Plan;
    await database.write({ sql: suggestions[0] ?? "" }, unstopped());
    expect(await database.task("explain", { sql }, unstopped())).toMatchObject({
      full_scans: [],
      suggestions: [],
    });
  });

  it("is a tree, and says what is sorted", async () => {
    const database = open({ file: scratch.create("a.db", SCRIPT) });
    const sql = "SELECT name FROM users WHERE id IN (SELECT user_id FROM orders) ORDER BY name";
    const plan = (await database.task("explain", { sql }, unstopped())) as Plan;
    expect(plan.sorts).toEqual(["USE TEMP B-TREE FOR ORDER BY"]);
    const nested = plan.steps.find(({ steps }) => steps.length > 0);
    expect(nested?.steps[0]?.detail).toBe("SCAN orders");
  });

  it("needs no values, and refuses what it would refuse to run", async () => {
    const database = open({ file: scratch.create("a.db", SCRIPT) });
    const explain = (sql: string, params?: unknown): Promise<unknown> =>
      database.task("explain", { sql, ...(params === undefined ? {} : { params }) }, unstopped());
    await expect(explain("SELECT * FROM users WHERE id = ?1 AND name = :name")).resolves.toHaveProperty(
      "steps",
    );
    await expect(explain("SELECT ?", [1, 2])).rejects.toMatchObject({ code: "invalid_input" });
    await expect(explain("SELECT * FROM user")).rejects.toMatchObject({
      message: expect.stringContaining("did you mean users?") as string,
    });
    await expect(explain("PRAGMA query_only = 0")).rejects.toMatchObject({ code: "permission_denied" });
    await expect(explain("DROP TABLE users")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(explain("SELECT load_extension('x')")).rejects.toMatchObject({ code: "permission_denied" });
  });
});
