import Database from "better-sqlite3";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liftValues, MAX_SQL_LENGTH, parseStatement } from "../../../src/domain/sql-policy/statement.ts";

describe("parseStatement", () => {
  it.each([
    ["SELECT 1", "SELECT"],
    ["  /* a */ -- b\n select 1 ; -- c\n;; /* d */", "SELECT"],
    [";;SELECT 1", "SELECT"],
    ["EXPLAIN SELECT 1", "SELECT"],
    ["explain query plan\nselect 1", "SELECT"],
    ["EXPLAIN PRAGMA query_only=0", "PRAGMA"],
    ["EXPLAIN/**/QUERY/**/PLAN/**/ATTACH 'x' AS y", "ATTACH"],
    ["WITH a AS (SELECT 1) SELECT * FROM a", "SELECT"],
    [
      "WITH RECURSIVE a(x, y) AS NOT MATERIALIZED (SELECT 1, 2), b AS MATERIALIZED (SELECT (1)) DELETE FROM t",
      "DELETE",
    ],
    ["WITH replace AS (SELECT 1) SELECT * FROM replace", "SELECT"],
    ["WITH \"insert\" AS (SELECT 'DELETE') SELECT 1", "SELECT"],
    ["EXPLAIN WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", "INSERT"],
    ["VALUES (1)", "VALUES"],
    ["(SELECT 1)", ""],
    ["\u00A0PRAGMA x", ""],
    ["\uFEFFPRAGMA x", "PRAGMA"],
    ["WITH", ""],
    ["WITH a", ""],
    ["WITH a AS (SELECT 1", ""],
  ])("finds what %j does", (sql, verb) => {
    expect(parseStatement(sql).verb).toBe(verb);
  });

  it("gives SQLite the statement without what surrounds it", () => {
    expect(parseStatement(" -- a\n ;SELECT ';' ; -- b").text).toBe("SELECT ';'");
  });

  it("keeps a trigger whole", () => {
    const trigger =
      "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; DELETE FROM t; END";
    expect(parseStatement(`${trigger};`).text).toBe(trigger);
    expect(() => parseStatement(`${trigger}; DROP TABLE t`)).toThrow("more than one statement");
  });

  it.each([
    ["SELECT 1; SELECT 2", "There is more than one statement: the second begins at 1:11."],
    ["SELECT 1;\n\n  DROP TABLE t;", "There is more than one statement: the second begins at 3:3."],
    ["SELECT 1\0; DROP TABLE t", "The SQL contains a NUL character."],
    ["SELECT 'a\n, b", "The quote that begins at 1:8 is never closed: 'a\n, b"],
    ["SELECT 1 !", 'Unrecognized token "!" at 1:10.'],
    ["", "The SQL contains no statement."],
    [" ;; -- nothing\n", "The SQL contains no statement."],
  ])("refuses %j", (sql, message) => {
    expect(() => parseStatement(sql)).toThrow(message);
  });

  it("refuses what is too long, before it reads it", () => {
    expect(() => parseStatement("-".repeat(MAX_SQL_LENGTH + 1))).toThrow("The SQL has 1000001 characters");
  });

  it.each([
    ["INSERT INTO t VALUES (1) RETURNING *", true],
    ["INSERT INTO t VALUES ('RETURNING')", false],
    ["DELETE FROM t WHERE a IN (SELECT returning FROM u)", false],
  ])("knows whether %j returns rows", (sql, returning) => {
    expect(parseStatement(sql).returning).toBe(returning);
  });

  it("reads every text as SQLite does: one statement, and none that writes taken for one that reads", () => {
    const database = new Database(":memory:");
    database.exec("CREATE TABLE t (a)");
    const word = fc.constantFrom(
      ..."SELECT|1|;|INSERT INTO t VALUES (1)|WITH|x AS (SELECT 1)|,|(|)|DELETE FROM t|EXPLAIN|QUERY PLAN|--|\n|/*|*/|'|\"|`|[|]|VALUES (1)|* FROM t|\uFEFF|CREATE TABLE u (b)|replace|AS|RETURNING *|UPDATE t SET a = 2|x'".split(
        "|",
      ),
    );
    let prepared = 0;
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 7 }), (words) => {
        const sql = words.join(" ");
        const statement = quietly(() => parseStatement(sql));
        if (!statement) return;
        const isReadOnly = prepare(database, statement.text);
        expect(String(isReadOnly)).not.toMatch(/more than one statement|no statements/);
        if (typeof isReadOnly === "string") return;
        prepared += 1;
        const reads = ["SELECT", "VALUES"].includes(statement.verb);
        expect({ sql, isReadOnly }).toEqual({ sql, isReadOnly: reads });
      }),
      { numRuns: 20_000, seed: 5 },
    );
    database.close();
    expect(prepared).toBeGreaterThan(200);
  });
});

function prepare(database: Database.Database, sql: string): boolean | string {
  try {
    return database.prepare(sql).readonly;
  } catch (thrown) {
    return String(thrown);
  }
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

describe("liftValues", () => {
  it.each([
    ["INSERT INTO t VALUES (1, 'it''s')", "INSERT INTO t VALUES (?, ?)", [1n, "it's"]],
    ["REPLACE INTO 't' (a) VALUES ( 'x' ),('y')", "REPLACE INTO 't' (a) VALUES ( ? ),(?)", ["x", "y"]],
    ["INSERT INTO t(b) VALUES (upper('x')), ('y')", "INSERT INTO t(b) VALUES (upper('x')), (?)", ["y"]],
    // Not alone, so it may be a name, or a part of something.
    ["INSERT INTO t(a) VALUES ('t'.'a'), (-1), ('x' COLLATE 'y')", undefined, []],
    ["INSERT INTO t(a) VALUES (\"x\"), (1.5), (x'00'), (9999999999999999999), (0x1F)", undefined, []],
    ["INSERT INTO t(a) VALUES (1 + 2) ON CONFLICT (a) DO UPDATE SET (a) = ('x')", undefined, []],
    ["INSERT INTO t(a, b) VALUES (?, 'x')", undefined, []],
    ["INSERT INTO t(a) SELECT ('x')", undefined, []],
    ["WITH v AS (VALUES ('x')) INSERT INTO t(a) SELECT * FROM v", undefined, []],
    ["DELETE FROM t WHERE (a, b) IN (VALUES (1, 'x'))", undefined, []],
  ] as const)("%j", (sql, text, values) => {
    expect(liftValues(parseStatement(` ${sql};`))).toEqual({ text: text ?? sql, values });
  });

  it("stores what the statement itself would have stored", () => {
    const value = fc.oneof(
      fc.string().map((given) => `'${given.replaceAll("'", "''").replaceAll("\0", "")}'`),
      fc.bigInt(0n, 10n ** 20n).map(String),
      fc.constantFrom("007", "1.0", "-1", "NULL", "'1'", "' 2 '", "'3e0'", "x'41'", "1+1"),
    );
    const database = new Database(":memory:");
    database.exec("CREATE TABLE t (i INTEGER, r REAL, n NUMERIC, t TEXT, b)");
    const stored = (sql: string, values: readonly unknown[]): unknown => {
      database.exec("DELETE FROM t");
      database.prepare(sql).run(...values);
      const columns = ["i", "r", "n", "t", "b"].map((name) => `typeof(${name}), quote(${name})`);
      return database.prepare(`SELECT ${columns.join()} FROM t`).raw(true).all();
    };
    fc.assert(
      fc.property(fc.tuple(value, value, value, value, value), (row) => {
        const sql = `INSERT INTO t VALUES (${row.join(", ")})`;
        const { text, values } = liftValues(parseStatement(sql));
        expect(stored(text, values)).toEqual(stored(sql, []));
      }),
    );
    database.close();
  });
});
