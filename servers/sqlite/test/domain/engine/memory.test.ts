import { describe, expect, it } from "vitest";
import { unstopped, useDatabases } from "../scratch.ts";

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
