import { describe, expect, it } from "vitest";
import type { Selected, TableList } from "../../../src/domain/protocol/tasks.ts";
import { type OpenedDatabase, useLocalDatabases } from "../scratch.ts";

const { scratch, open } = useLocalDatabases();

const list = (database: OpenedDatabase, args: object = {}): Promise<TableList> =>
  database.task("tables", { limit: 100, counted: true, ...args });

const select = (database: OpenedDatabase, table: string): Promise<Selected> =>
  database.task("select", { table });

describe("the list of tables", () => {
  it("has tables, views and virtual tables, and nothing of SQLite's own", async () => {
    const script = `
      CREATE TABLE b (x, y); INSERT INTO b VALUES (1, 2), (3, 4);
      CREATE TABLE keyed (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO keyed DEFAULT VALUES;
      CREATE VIEW v AS SELECT x FROM b; CREATE TABLE gone (z); CREATE VIEW broken AS SELECT z FROM gone; DROP TABLE gone;
      CREATE VIRTUAL TABLE words USING fts5(w); CREATE TABLE sqliteish (a); CREATE TABLE "" (a); ANALYZE;`;
    const database = open({ file: scratch.create("a.db", script) });
    expect(await list(database)).toEqual({
      tables: [
        { name: "", kind: "table", columns: 1, rows: 0 },
        { name: "b", kind: "table", columns: 2, rows: 2 },
        { name: "broken", kind: "view", columns: 0 },
        { name: "keyed", kind: "table", columns: 1, rows: 1 },
        { name: "sqliteish", kind: "table", columns: 1, rows: 0 },
        { name: "v", kind: "view", columns: 1 },
        { name: "words", kind: "virtual", columns: 1 },
      ],
      truncated: false,
    });
  });

  it("counts exactly, and only if asked", async () => {
    const script = `CREATE TABLE t (a);
      INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 40001) SELECT i FROM r;`;
    const database = open({ file: scratch.create("a.db", script) });
    expect((await list(database)).tables).toEqual([{ name: "t", kind: "table", columns: 1, rows: 40_001 }]);
    expect((await list(database, { counted: false })).tables).toEqual([
      { name: "t", kind: "table", columns: 1 },
    ]);
  });
});

describe("a table", () => {
  it("is found in any case that SQLite takes, beyond any limit of lists", async () => {
    const script = Array.from({ length: 300 }, (_, at) => `CREATE TABLE "T ${at}" (a);`).join("");
    const database = open({
      file: scratch.create("a.db", `${script} CREATE TABLE É (a); CREATE TABLE é (a);`),
    });
    expect(await select(database, "t 299")).toEqual({ table: "T 299", sql: 'SELECT * FROM "T 299"' });
    expect((await select(database, "É")).table).toBe("É");
    expect((await select(database, "é")).table).toBe("é");
  });

  it("is read in the order of its key", async () => {
    const cases = [
      ["CREATE TABLE x (a, b INTEGER PRIMARY KEY)", ' ORDER BY "b"'],
      ["CREATE TABLE x (a TEXT PRIMARY KEY, b)", ' ORDER BY "a"'],
      ['CREATE TABLE x (a, "b ""c" TEXT, PRIMARY KEY ("b ""c", a)) WITHOUT ROWID', ' ORDER BY "b ""c","a"'],
      ["CREATE TABLE x (a, b, PRIMARY KEY (a, b DESC))", ""],
      ["CREATE TABLE x (a UNIQUE)", ""],
      ["CREATE TABLE t (a); CREATE VIEW x AS SELECT a FROM t", ""],
      ["CREATE TABLE t (a); CREATE VIEW x AS SELECT a FROM t; ALTER TABLE t RENAME TO u; DROP TABLE u", ""],
      ["CREATE VIRTUAL TABLE x USING rtree(id, low, high)", ""],
    ] as const;
    // Each with names of its own, all in one database.
    const named = (script: string, at: number): string => script.replaceAll(/\b[tux]\b/g, `$&${at}`);
    const script = cases.map(([each], at) => named(each, at)).join("; ");
    const database = open({ file: scratch.create("a.db", script) });
    for (const [at, [each, order]] of cases.entries())
      expect.soft((await select(database, `x${at}`)).sql, each).toBe(`SELECT * FROM "x${at}"${order}`);
  });
});
