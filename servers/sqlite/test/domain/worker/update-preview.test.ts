import type { Client } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { call, failureOf, textOf, useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;

const connect = (script: string, allowDdl = true): Promise<Client> =>
  served.connect({ files: [scratch.create("app.db", script)], allowDdl });

const rowsOf = async (client: Client, query = "SELECT * FROM t"): Promise<unknown> =>
  (await call<{ rows: unknown }>(client, "read_query", { query })).rows;

describe("write_query", () => {
  it("changes rows, and says what it changed", async () => {
    const client = await connect("CREATE TABLE t (a INTEGER PRIMARY KEY, b)");
    const insert = { query: "INSERT INTO t (b) VALUES (?), (?)", params: ["x", "y"] };
    expect(await call(client, "write_query", insert)).toEqual({
      database: "app",
      affected_rows: 2,
      last_insert_rowid: 2,
      changed: ["app"],
    });
    const nothing = await client.callTool("write_query", { query: "DELETE FROM t WHERE a > 7" });
    expect(nothing.structuredContent).toMatchObject({ affected_rows: 0, changed: [] });
    expect(textOf(nothing)).toBe("0 rows changed.");
  });

  it("takes no number for an integer that JSON has rounded", async () => {
    const client = await connect(
      "CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1234567890123456768), (1234567890123456789)",
    );
    const query = "DELETE FROM t WHERE a = :a";
    for (const a of [Number("1234567890123456789"), 2 ** 53, -(2 ** 63)]) {
      for (const [tool, args] of [
        ["write_query", { query, params: { a } }],
        ["execute_batch", { statements: [{ query, params: [a] }] }],
      ] as const)
        expect(await failureOf(client, tool, args)).toMatchObject({
          code: "invalid_input",
          text: expect.stringContaining('past 2^53 as {"$int": "…"}') as string,
        });
    }
    const [first, second] = [{ $int: "1234567890123456768" }, { $int: "1234567890123456789" }];
    await call(client, "write_query", { query, params: { a: second } });
    expect(await rowsOf(client)).toEqual([[first]]);
    // Those that no integer can be, and reals that say so.
    for (const real of [2 ** 64, 1e300, { $real: "9007199254740992" }])
      expect(await call(client, "read_query", { query: "SELECT ?", params: [real] })).toMatchObject({
        rows: [[real]],
      });
  });

  it("gives what RETURNING asks for, and as much as fits", async () => {
    const client = await connect("CREATE TABLE t (a INTEGER PRIMARY KEY)");
    const query =
      "INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 150) SELECT i FROM r RETURNING a * 2 AS b";
    const result = await client.callTool("write_query", { query });
    const { sample } = result.structuredContent as { sample: { rows: unknown[][]; truncated: boolean } };
    expect([sample.rows.length, sample.rows[0], sample.truncated]).toEqual([100, [2], true]);
    expect(textOf(result)).toMatch(/^150 rows changed\.[\s\S]*\nThe sample has the first 100 rows\.$/);
  });

  it("can be tried, and shows what would happen", async () => {
    const client = await connect("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
    const result = await client.callTool("write_query", {
      query: "UPDATE t SET a = a + 1 WHERE a < 3",
      dry_run: true,
    });
    expect(result.structuredContent).toMatchObject({
      affected_rows: 2,
      note: "Dry run: nothing was changed.",
      dry_run: true,
      would_change: ["app"],
      sample: {
        columns: [{ name: "rowid" }, { name: "a before" }, { name: "a after" }],
        rows: [
          [1, 1, 2],
          [2, 2, 3],
        ],
      },
    });
    expect(result.structuredContent).not.toHaveProperty("changed");
    expect(textOf(result)).toMatch(/^2 rows would change\.\n[\s\S]*\nDry run: nothing was changed\.$/);
    expect(await rowsOf(client)).toEqual([[1], [2], [3]]);
  });

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

describe("which tool does what", () => {
  it("is kept apart: rows here, the schema there", async () => {
    const client = await connect("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    for (const query of ["CREATE TABLE u (a)", "DROP TABLE t", "ALTER TABLE t ADD COLUMN b", "ANALYZE"]) {
      expect(await failureOf(client, "write_query", { query }), query).toMatchObject({
        code: "invalid_input",
        text: expect.stringMatching(
          query.startsWith("CREATE") ? /Use create_table\./ : /Use alter_or_drop\./,
        ) as string,
      });
    }
    for (const query of ["DELETE FROM t", "INSERT INTO t VALUES (2)", "WITH x AS (SELECT 1) DELETE FROM t"]) {
      expect(await failureOf(client, "create_table", { query }), query).toMatchObject({
        code: "invalid_input",
        text: expect.stringContaining("Use write_query.") as string,
      });
    }
    expect(await rowsOf(client)).toEqual([[1]]);
  });

  it("depends on what the operator allows", async () => {
    const client = await connect("CREATE TABLE t (a)", false);
    expect((await client.listTools()).map(({ name }) => name)).not.toContain("create_table");
    const query = "DROP TABLE t";
    const refusal = { code: "permission_denied", text: expect.stringContaining("--allow-ddl") as string };
    expect(await failureOf(client, "write_query", { query })).toMatchObject(refusal);
    expect(await failureOf(client, "execute_batch", { statements: [{ query }] })).toMatchObject(refusal);
    expect(await rowsOf(client)).toEqual([]);
  });
});

describe("execute_batch", () => {
  it("does all or nothing", async () => {
    const client = await connect("CREATE TABLE t (a UNIQUE); CREATE TABLE u (a)");
    const statements = [
      { query: "INSERT INTO u VALUES (?)", params: [1] },
      { query: "INSERT INTO t SELECT a FROM u" },
    ];
    expect(await call(client, "execute_batch", { statements, dry_run: true })).toMatchObject({
      affected_rows: 2,
      would_change: ["app"],
    });
    expect(await call(client, "execute_batch", { statements })).toEqual({
      database: "app",
      statements: 2,
      results: [
        { verb: "INSERT", affected_rows: 1 },
        { verb: "INSERT", affected_rows: 1 },
      ],
      affected_rows: 2,
      changed: ["app"],
    });
    const failing = [{ query: "DELETE FROM u" }, { query: "INSERT INTO t VALUES (1)" }];
    expect(await failureOf(client, "execute_batch", { statements: failing })).toMatchObject({
      code: "conflict",
      text: expect.stringMatching(/^Statement 2 of 2 failed, so nothing was changed/) as string,
    });
    expect(await rowsOf(client, "SELECT * FROM u")).toEqual([[1]]);
    for (const [query, tool] of [
      ["CREATE INDEX i ON t (a)", "create_table"],
      ["DROP TABLE t", "alter_or_drop"],
    ]) {
      const wrong = [{ query: "DELETE FROM u" }, { query }];
      expect(await failureOf(client, "execute_batch", { statements: wrong })).toMatchObject({
        code: "invalid_input",
        text: expect.stringMatching(
          new RegExp(`^Statement 2 of 2 failed, so nothing was changed\\. [^]*Use ${tool}\\.`),
        ) as string,
        details: { statement: 2 },
      });
    }
    expect(
      await call(client, "execute_batch", { statements: [{ query: "DELETE FROM t WHERE 0" }] }),
    ).toMatchObject({ changed: [] });
  });
});

describe("create_table", () => {
  it("changes the schema, or tries to", async () => {
    const client = await connect("");
    const query = "CREATE TABLE t (a)";
    const tried = await client.callTool("create_table", { query, dry_run: true });
    expect(textOf(tried)).toBe("CREATE would work on app.\nDry run: nothing was changed.");
    expect(await call(client, "create_table", { query })).toEqual({
      database: "app",
      verb: "CREATE",
      changed: ["app"],
    });
    expect(await failureOf(client, "create_table", { query })).toMatchObject({ code: "invalid_input" });
    expect(await rowsOf(client)).toEqual([]);
  });
});

describe("append_insight", () => {
  it("adds to the memo", async () => {
    const client = await connect("");
    const add = (args: object): Promise<unknown> => call(client, "append_insight", args);
    expect(await add({ insight: "Sales grow.", dry_run: true })).toMatchObject({
      insights: 0,
      would_change: ["memo://insights"],
    });
    expect(await add({ insight: "Sales grow." })).toEqual({ insights: 1, changed: ["memo://insights"] });
    expect(await client.readResource("memo://insights")).toMatchObject({
      contents: [
        {
          text: "Insights:\n\n- Sales grow.",
          mimeType: "text/plain",
          _meta: { "dev.suite/untrusted": true },
        },
      ],
    });
    expect(await failureOf(client, "append_insight", { insight: "" })).toMatchObject({
      code: "invalid_input",
    });
  });
});
