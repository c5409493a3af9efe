import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import type { Instruction } from "../../../src/domain/sql-policy/opcodes.ts";
import { type TableWalk, walkOf } from "../../../src/domain/sql-policy/walk.ts";

const database = new Database(":memory:");
database.exec(`
  CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT, x, y);
  CREATE INDEX by_kind ON t (kind);
  CREATE TABLE w (a TEXT, b INTEGER, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
  CREATE TABLE s (id INTEGER PRIMARY KEY, twice INT AS (id * 2)) STRICT;
  CREATE VIEW v AS SELECT id, x FROM t WHERE y > 0;
  CREATE VIRTUAL TABLE f USING fts5(body);
`);
afterAll(() => database.close());

const pageOf = (name: string): unknown =>
  database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name);

const walk = (sql: string): TableWalk | undefined =>
  walkOf(database.prepare<unknown[], Instruction>(`EXPLAIN ${sql}`).raw(true).all());

describe("walkOf", () => {
  it.each([
    ["SELECT * FROM t", "t", false],
    ["SELECT * FROM t ORDER BY id DESC", "t", true],
    [
      "SELECT id, upper(x) || y, CASE WHEN x > 3 THEN 1 END FROM t WHERE x LIKE 'a%' AND y IS NOT NULL",
      "t",
      false,
    ],
    ["SELECT * FROM t WHERE id BETWEEN 3 AND 300 ORDER BY id", "t", false],
    ["SELECT * FROM t WHERE kind = 'x'", "by_kind", false],
    ["SELECT * FROM t ORDER BY kind", "by_kind", false],
    ["SELECT kind, id FROM t", "by_kind", false],
    ["SELECT * FROM w WHERE a > 'x'", "w", false],
    ["SELECT * FROM w ORDER BY a DESC, b DESC", "w", true],
    ["SELECT * FROM v", "t", false],
    ["SELECT * FROM s", "s", false],
  ])("knows a way through one table: %s", (sql, name, backwards) => {
    expect(walk(sql)).toEqual({ page: pageOf(name), backwards, parameters: new Set() });
  });

  it("knows which parameters matter", () => {
    const sql = "EXPLAIN WITH unused AS (SELECT ?) SELECT * FROM t WHERE x > ? AND y < ?";
    const program = database.prepare<unknown[], Instruction>(sql).raw(true).all(1, 2, 3);
    expect(walkOf(program)?.parameters).toEqual(new Set([2, 3]));
  });

  it.each([
    ["SELECT 1"],
    ["VALUES (1), (2)"],
    ["SELECT * FROM t WHERE id = 3"],
    ["SELECT * FROM t LIMIT 10"],
    ["SELECT * FROM t LIMIT 10 OFFSET 5"],
    ["SELECT count(*) FROM t"],
    ["SELECT kind, count(*) FROM t GROUP BY kind"],
    ["SELECT DISTINCT x FROM t"],
    ["SELECT * FROM t ORDER BY x"],
    ["SELECT id, row_number() OVER () FROM t"],
    ["SELECT id, sum(x) OVER (ORDER BY id) FROM t"],
    ["SELECT * FROM t AS a, t AS b"],
    ["SELECT * FROM t AS a JOIN t AS b ON b.id = a.x"],
    ["SELECT * FROM t WHERE EXISTS (SELECT 1 FROM t AS o WHERE o.id = t.x)"],
    ["SELECT id, (SELECT max(id) FROM t) FROM t"],
    ["SELECT * FROM t WHERE id IN (5, 3)"],
    ["SELECT * FROM t WHERE x IN (SELECT y FROM t)"],
    ["SELECT * FROM t WHERE id = 5 OR kind = 'x'"],
    ["SELECT id FROM t UNION ALL SELECT id FROM t"],
    ["SELECT id FROM t UNION ALL SELECT 7"],
    ["SELECT id FROM t UNION ALL VALUES (7), (8)"],
    ["SELECT id FROM t UNION SELECT b FROM w"],
    ["WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r"],
    ["SELECT * FROM f"],
    ["SELECT * FROM json_each('[1]')"],
    ["DELETE FROM t WHERE x > 3"],
  ])("takes nothing else for one: %s", (sql) => {
    expect(walk(sql)).toBeUndefined();
  });
});
