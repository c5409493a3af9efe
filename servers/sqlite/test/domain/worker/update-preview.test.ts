import type { Client } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { call, useServed } from "../../served.ts";

const served = useServed();
const { scratch } = served;

const connect = (script: string, allowDdl = true): Promise<Client> =>
  served.connect({ files: [scratch.create("app.db", script)], allowDdl });

const rowsOf = async (client: Client, query = "SELECT * FROM t"): Promise<unknown> =>
  (await call<{ rows: unknown }>(client, "read_query", { query })).rows;

describe("write_query", () => {
  it("counts what a sample has no memory for", async () => {
    const script = `CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 60000)
      SELECT printf('%.*c', 3000, 'x') FROM r;`;
    const file = scratch.create("app.db", script);
    const client = await served.connect({ files: [file], memory: 128 });
    const query = "UPDATE t SET a = a || 'y'";
    const tried = await call(client, "write_query", { query, dry_run: true });
    expect(tried).toMatchObject({ affected_rows: 60_000, would_change: ["app"] });
    expect(tried).not.toHaveProperty("sample");
    expect(await call(client, "write_query", { query, expected_rows: 60_000 })).toMatchObject({
      affected_rows: 60_000,
    });
  });
});

describe("a dry run of an UPDATE", () => {
  it.each([
    [
      "CREATE TABLE t (a TEXT PRIMARY KEY, b, c) WITHOUT ROWID",
      "UPDATE t SET b = b || '!' WHERE c = 1",
      ["a", "b before", "b after"],
      [["x", "1", "1!"]],
    ],
    [
      "CREATE TABLE t (a, b, c, PRIMARY KEY (a, c))",
      "UPDATE OR IGNORE main.t AS u SET b = 7, c = c",
      ["a", "b", "c"],
      [
        ["x", 7, 1],
        ["y", 7, 2],
      ],
    ],
    [
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)",
      "UPDATE t SET a = a + 10",
      ["a", "b", "c"],
      [
        [11, "1", 1],
        [12, "2", 2],
      ],
    ],
    [
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)",
      "UPDATE t SET (b, c) = (b, c + 1) WHERE a = 2",
      ["a", "c before", "c after"],
      [[2, 2, 3]],
    ],
  ])("shows what was there by its key, if that stays: %s; %s", async (table, query, names, rows) => {
    const keys = table.includes("INTEGER") ? ["1", "2"] : ["'x'", "'y'"];
    const client = await connect(`${table}; INSERT INTO t VALUES (${keys[0]}, '1', 1), (${keys[1]}, '2', 2)`);
    const before = await rowsOf(client);
    const { sample } = await call<{ sample: { columns: { name: string }[]; rows: unknown } }>(
      client,
      "write_query",
      { query, dry_run: true },
    );
    expect([sample.columns.map(({ name }) => name), sample.rows]).toEqual([names, rows]);
    expect(await rowsOf(client)).toEqual(before);
  });
});

it.each([
  [
    "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), (NULL, 2)",
    ["k", "v before", "v after"],
    [[null, 2, 12]],
  ],
  [
    "CREATE TABLE t (RowID, v); INSERT INTO t VALUES ('x', 1), ('x', 2)",
    ["_rowid_", "v before", "v after"],
    [[2, 2, 12]],
  ],
  [
    "CREATE TABLE t (rowid, _rowid_, oid, v); INSERT INTO t VALUES (1, 1, 1, 1), (1, 1, 1, 2)",
    ["rowid", "_rowid_", "oid", "v"],
    [[1, 1, 1, 12]],
  ],
])("A dry run of an UPDATE shows no other row as what was there: %s", async (script, names, rows) => {
  const client = await connect(script);
  const { sample } = await call<{ sample: { columns: { name: string }[]; rows: unknown } }>(
    client,
    "write_query",
    { query: "UPDATE t SET v = v + 10 WHERE v = 2", dry_run: true },
  );
  expect([sample.columns.map(({ name }) => name), sample.rows]).toEqual([names, rows]);
});

it.each(["printf('%.*c', 3000, 'k')", "CAST(x'ff' AS TEXT)"])(
  "A dry run of an UPDATE shows no rows before it where one has the key %s",
  async (key) => {
    const client = await connect(
      `CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1), (${key}, 2)`,
    );
    const { sample } = await call<{ sample: { columns: { name: string }[]; rows: unknown[][] } }>(
      client,
      "write_query",
      { query: "UPDATE t SET v = v + 10", dry_run: true },
    );
    expect(sample.columns.map(({ name }) => name)).toEqual(["k", "v"]);
    expect(sample.rows.map((row) => row[1])).toEqual([11, 12]);
  },
);

it("A dry run of an UPDATE shows what it sets, though it differs only behind what is shown", async () => {
  const client = await connect("CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)");
  const params = [`${"x".repeat(5000)}y`, "z".repeat(5000)];
  await call(client, "write_query", { query: "INSERT INTO t VALUES (1, ?, ?)", params });
  const query = "UPDATE t SET B = replace(b, 'y', 'x')";
  const { sample } = await call<{ sample: { columns: { name: string }[]; rows: unknown } }>(
    client,
    "write_query",
    { query, dry_run: true },
  );
  expect(sample.columns.map(({ name }) => name)).toEqual(["a", "b before", "b after"]);
});
