import { describe, expect, it } from "vitest";
import { unstopped, useDatabases } from "../../scratch.ts";
import { exportAll } from "./transfer.ts";

const { scratch, open } = useDatabases();

describe("an export", () => {
  it("is of a query, with its values", async () => {
    const database = open({
      file: scratch.create("a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)"),
    });
    const from = { sql: "SELECT a, a * 1.0 AS b FROM t WHERE a > :least ORDER BY a", params: { least: 1 } };
    expect((await exportAll(database, from, "csv")).text).toBe("a,b\r\n2,2.0\r\n3,3.0\r\n");
    expect((await exportAll(database, from, "jsonl")).text).toBe('{"a":2,"b":2.0}\n{"a":3,"b":3.0}\n');
  });

  it("keeps what it cannot tell from being lost", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a)") });
    const twice = { sql: "SELECT 1 AS a, 2 AS a" };
    await expect(exportAll(database, twice, "jsonl")).rejects.toMatchObject({
      code: "invalid_input",
      message: 'Two columns are called "a".',
    });
    expect((await exportAll(database, twice, "csv")).text).toBe("a,a\r\n1,2\r\n");
  });

  it("says which text was no text", async () => {
    const script = "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (CAST(x'61ff' AS TEXT), 'fine', x'ff')";
    const database = open({ file: scratch.create("a.db", script) });
    expect((await exportAll(database, { table: "t" }, "csv")).inexact).toEqual(["a"]);
  });

  it("waits for whoever takes it", async () => {
    const script = `CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 50)
      SELECT printf('%.*c', 100000, 'x') FROM r;`;
    const database = open({ file: scratch.create("a.db", script) });
    let [waiting, most, chunks] = [0, 0, 0];
    const onChunk = async (): Promise<void> => {
      most = Math.max(most, (waiting += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      [waiting, chunks] = [waiting - 1, chunks + 1];
    };
    await database.task("export", { from: { table: "t" }, format: "csv" }, unstopped(), {
      isLong: true,
      onChunk,
    });
    expect([most, chunks]).toEqual([1, 17]);
  });

  it("goes through the policy like any query", async () => {
    const database = open({
      file: scratch.create("a.db", "CREATE TABLE t (a)"),
      mode: "write",
      allowDdl: true,
    });
    for (const sql of [
      "DELETE FROM t",
      "PRAGMA query_only = 0",
      "SELECT 1; SELECT 2",
      "SELECT load_extension('x')",
      "INSERT INTO t VALUES (1) RETURNING a",
    ]) {
      await expect(exportAll(database, { sql }, "csv"), sql).rejects.toMatchObject({
        code: expect.stringMatching(/permission_denied|invalid_input/) as string,
      });
    }
    await expect(exportAll(database, { table: 't" UNION SELECT 1; --' }, "csv")).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(exportAll(database, { table: "sqlite_schema" }, "csv")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
