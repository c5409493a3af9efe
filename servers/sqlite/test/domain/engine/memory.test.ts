import { describe, expect, it } from "vitest";
import { unstopped, useDatabases } from "../scratch.ts";
import { TABLE } from "./endless.ts";

const { scratch, open } = useDatabases();

describe("a write", () => {
  it("of many long statements keeps none of them", async () => {
    const database = open({ file: ":memory:", mode: "create", allowDdl: true, memoryBytes: 190_000_000 });
    await database.write({ sql: "CREATE TABLE t (a, b, c)" });
    for (let at = 0; at < 12; at += 1) {
      // 200 KB each.
      const rows = Array.from({ length: 12_500 }, (_, row) => `(${at},${row},'abc')`);
      const sql = `INSERT INTO t VALUES ${rows.join(",")}`;
      expect(await database.write({ sql })).toMatchObject({ changes: 12_500 });
    }
    expect(database.children).toHaveLength(1);
  });

  it("counts what a sample has no memory for", async () => {
    const script = `CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 30000)
      SELECT printf('%.*c', 3000, 'x') FROM r;`;
    const database = open({ file: scratch.create("a.db", script), mode: "write", memoryBytes: 2 ** 27 });
    const sql = "UPDATE t SET a = a || 'y'";
    const tried = await database.writeWithSample({ sql, dryRun: true, sample: 5 }, unstopped());
    expect(tried).toMatchObject({ changes: 30_000 });
    expect(tried).not.toHaveProperty("sample");
    expect(database.children).toHaveLength(2);
    expect(await database.writeWithSample({ sql }, unstopped())).toMatchObject({ changes: 30_000 });
  });
});

describe("a statement that wants too much memory", () => {
  it.each([
    "SELECT length(hex(randomblob(250000000)))",
    "SELECT group_concat(hex(randomblob(1000000))) FROM (WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n)",
    "SELECT zeroblob(500000000) || 'x'",
  ])("is stopped, and the next one works: %s", async (sql) => {
    const database = open({ file: scratch.create("a.db", TABLE), memoryBytes: 200_000_000 });
    await expect(database.read({ sql })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(/memory|too big/) as string,
    });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[3]]);
  });
});
