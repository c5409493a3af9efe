import { describe, expect, it } from "vitest";
import { unstopped, useLocalDatabases } from "../../scratch.ts";
import { exportAll } from "./transfer.ts";

const { scratch, open } = useLocalDatabases();

describe("an export", () => {
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
});
