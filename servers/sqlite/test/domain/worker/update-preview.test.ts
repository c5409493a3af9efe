import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../scratch.ts";

const { scratch, open } = useLocalDatabases();

const ROWS = "INSERT INTO t VALUES (1, '1', 1), (2, '2', 2)";
const NAMED_ROWS = "INSERT INTO t VALUES ('x', '1', 1), ('y', '2', 2)";
const TRIED = { dryRun: true, sample: 5, maxCellBytes: 1000 };
const ADD = "UPDATE t SET v = v + 10 WHERE v = 2";

describe("a dry run of an UPDATE", () => {
  it.each([
    [
      `CREATE TABLE t (a TEXT PRIMARY KEY, b, c) WITHOUT ROWID; ${NAMED_ROWS}`,
      "UPDATE t SET b = b || '!' WHERE c = 1",
      ["a", "b before", "b after"],
      [["x", "1", "1!"]],
    ],
    [
      `CREATE TABLE t (a, b, c, PRIMARY KEY (a, c)); ${NAMED_ROWS}`,
      "UPDATE OR IGNORE main.t AS u SET b = 7, c = c",
      ["a", "b", "c"],
      [
        ["x", 7, 1],
        ["y", 7, 2],
      ],
    ],
    [
      `CREATE TABLE t (a INTEGER PRIMARY KEY, b, c); ${ROWS}`,
      "UPDATE t SET a = a + 10",
      ["a", "b", "c"],
      [
        [11, "1", 1],
        [12, "2", 2],
      ],
    ],
    [
      `CREATE TABLE t (a INTEGER PRIMARY KEY, b, c); ${ROWS}`,
      "UPDATE t SET (b, c) = (b, c + 1) WHERE a = 2",
      ["a", "c before", "c after"],
      [[2, 2, 3]],
    ],
    // No other row is taken for what was there.
    [
      "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), (NULL, 2)",
      ADD,
      ["k", "v before", "v after"],
      [[null, 2, 12]],
    ],
    [
      "CREATE TABLE t (RowID, v); INSERT INTO t VALUES ('x', 1), ('x', 2)",
      ADD,
      ["_rowid_", "v before", "v after"],
      [[2, 2, 12]],
    ],
    [
      "CREATE TABLE t (rowid, _rowid_, oid, v); INSERT INTO t VALUES (1, 1, 1, 1), (1, 1, 1, 2)",
      ADD,
      ["rowid", "_rowid_", "oid", "v"],
      [[1, 1, 1, 12]],
    ],
  ])("shows what was there by its key, if that stays: %s; %s", async (script, sql, names, rows) => {
    const database = open({ file: scratch.create("a.db", script), mode: "write" });
    const before = await database.rows("SELECT * FROM t");
    const { sample } = await database.write({ sql, ...TRIED });
    expect([sample?.columns.map(({ name }) => name), sample?.rows]).toEqual([names, rows]);
    expect(await database.rows("SELECT * FROM t")).toEqual(before);
  });

  it.each(["printf('%.*c', 3000, 'k')", "CAST(x'ff' AS TEXT)"])(
    "shows no rows before it where one has the key %s",
    async (key) => {
      const script = `CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1), (${key}, 2)`;
      const database = open({ file: scratch.create("a.db", script), mode: "write" });
      const { sample } = await database.write({ sql: "UPDATE t SET v = v + 10", ...TRIED });
      expect(sample?.columns.map(({ name }) => name)).toEqual(["k", "v"]);
      expect(sample?.rows.map((row) => row[1])).toEqual([11, 12]);
    },
  );

  it("shows what it sets, though it differs only behind what is shown", async () => {
    const script = `CREATE TABLE t (a INTEGER PRIMARY KEY, b, c);
      INSERT INTO t VALUES (1, printf('%.*c', 5000, 'x') || 'y', printf('%.*c', 5000, 'z'))`;
    const database = open({ file: scratch.create("a.db", script), mode: "write" });
    const sql = "UPDATE t SET B = replace(b, 'y', 'x')";
    const { sample } = await database.write({ sql, ...TRIED });
    expect(sample?.columns.map(({ name }) => name)).toEqual(["a", "b before", "b after"]);
  });
});
