import { describe, expect, it } from "vitest";
import type { TableInfo } from "../../../../src/domain/protocol/tasks.ts";
import { type OpenedDatabase, useLocalDatabases } from "../../scratch.ts";

const { scratch, open } = useLocalDatabases();

async function describeTable(database: OpenedDatabase, table: string, sample = 3): Promise<TableInfo> {
  const { tables } = await database.task("describe", { tables: [table], sample, budget: 39_000 });
  if (!tables[0]) throw new Error("Nothing was described");
  return tables[0];
}

describe("a description", () => {
  it("has everything about a table", async () => {
    const script = `PRAGMA foreign_keys = OFF;
      CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x' UNIQUE);
      CREATE TABLE orders (
        a INT, b INT, user_id INT REFERENCES users ON DELETE CASCADE, total REAL, twice AS (total * 2), half AS (total / 2) STORED,
        code TEXT COLLATE NOCASE, PRIMARY KEY (a, b), UNIQUE (code, a COLLATE RTRIM DESC), FOREIGN KEY (a, b) REFERENCES orders (b, a) ON UPDATE SET NULL
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX i ON orders (lower(total), b DESC, code COLLATE BINARY) WHERE total > 0;
      CREATE TRIGGER tr AFTER INSERT ON Orders BEGIN SELECT 1; END;
      INSERT INTO users VALUES (1, 'Ada'); INSERT INTO orders VALUES (1, 2, NULL, 5, 'c');
      ALTER TABLE orders ADD COLUMN late TEXT COLLATE RTRIM;`;
    // Names that take the place of what describes a schema.
    const shadows = ["table_list", "table_xinfo", "index_list", "index_xinfo", "foreign_key_list"]
      .map((name) => `CREATE TABLE pragma_${name} (x);`)
      .join(" ");
    const database = open({ file: scratch.create("a.db", script + shadows) });
    const info = await describeTable(database, "ORDERS");
    expect(info).toMatchObject({
      name: "orders",
      kind: "table",
      rows: 1,
      options: "WITHOUT ROWID",
      sql: expect.stringMatching(/^CREATE TABLE orders/),
    });
    expect(info.columns).toEqual([
      { name: "a", type: "INT", not_null: true, primary_key: 1 },
      { name: "b", type: "INT", not_null: true, primary_key: 2 },
      { name: "user_id", type: "INT" },
      { name: "total", type: "REAL" },
      { name: "twice", type: "", generated: "(total * 2) virtual" },
      { name: "half", type: "", generated: "(total / 2) stored" },
      { name: "code", type: "TEXT", collate: "NOCASE" },
      { name: "late", type: "TEXT", collate: "RTRIM" },
    ]);
    expect(info.indexes).toEqual([
      {
        name: "i",
        unique: true,
        columns: ["lower(total)", "b DESC", "code COLLATE BINARY"],
        where: "total > 0",
      },
      { unique: true, columns: ["code", "a COLLATE RTRIM DESC"] },
    ]);
    expect(info.foreign_keys).toEqual([
      {
        columns: ["a", "b"],
        table: "orders",
        references: ["b", "a"],
        on_update: "SET NULL",
      },
      { columns: ["user_id"], table: "users", on_delete: "CASCADE" },
    ]);
    expect(info.triggers).toEqual([{ name: "tr", sql: expect.stringMatching(/^CREATE TRIGGER tr/) }]);
    expect(info.sample).toMatchObject({ rows: [[1, 2, null, 5, 10, 2.5, "c", null]], truncated: false });
  });

  it("has the conditions of a table", async () => {
    const script = `CREATE TABLE t (a INT CHECK (a > 0 AND (a < 9)), "check" TEXT DEFAULT 'CHECK (no)', b /* CHECK (no) */,
      CONSTRAINT c CHECK(length(b) = 2))`;
    const database = open({ file: scratch.create("a.db", script) });
    expect((await describeTable(database, "t")).checks).toEqual(["a > 0 AND (a < 9)", "length(b) = 2"]);
  });

  it("of a view neither counts its rows nor fails where it no longer fits", async () => {
    const script = `CREATE TABLE t (a); CREATE TABLE gone (z); INSERT INTO t VALUES (1);
      CREATE VIEW whole AS SELECT a FROM t; CREATE VIEW broken AS SELECT z FROM gone; DROP TABLE gone;`;
    const database = open({ file: scratch.create("a.db", script) });
    const whole = await describeTable(database, "whole");
    expect(whole).toMatchObject({ kind: "view", sample: { rows: [[1]] } });
    expect(whole).not.toHaveProperty("rows");
    expect(await describeTable(database, "broken")).toMatchObject({
      columns: [],
      broken: "no such table: main.gone",
    });
  });

  it("of an endless view needs no rows", async () => {
    const script =
      "CREATE VIEW endless AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) AS n FROM r;";
    const database = open({ file: scratch.create("a.db", script) });
    expect((await describeTable(database, "endless", 0)).columns).toEqual([{ name: "n", type: "" }]);
    const schema = await database.task("describe", { sample: 0, budget: 1000 });
    expect(schema.tables.map(({ name }) => name)).toEqual(["endless"]);
  });
});
