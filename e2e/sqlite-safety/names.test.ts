import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { takeSnapshot } from "../filesystem/snapshot.ts";
import { openSqlite } from "../sqlite/program.ts";
import { oncePerFile } from "../support/afterwards.ts";
import { createScene, expectRefusals, tracesOf } from "./scene.ts";

const harmless = oncePerFile(async () => ({
  wire: await openSqlite([createScene().file], { keepForFile: true }),
}));

describe("names", () => {
  const NAMES = [
    't"; DROP TABLE t; --',
    "t' OR 1=1 --",
    "t UNION SELECT * FROM sink",
    "(SELECT load_extension('x'))",
    "pragma_optimize",
    "pragma_database_list",
    "main.t",
    "temp.t",
    "sqlite_master",
    "sqlite_schema",
    "sqlite_stat1",
    "words_data",
    "dbstat",
    "json_each",
    "t\0",
    "",
    "\u202Et",
    "t".repeat(100_000),
    "../secret.db",
    "__proto__",
    "t' UNION SELECT 1 --",
    "t\"; ATTACH 'x' AS y; --",
    "'; VACUUM INTO 'x",
    "pragma_query_only",
    "sqlite_dbpage",
    'main"."t',
    "%00",
  ];

  it("are looked up, never pasted", async () => {
    const scene = createScene();
    writeFileSync(join(scene.exchange, "x.csv"), "a\n1\n");
    const before = takeSnapshot(scene.folder);
    const wire = await openSqlite([scene.file, "--allow-ddl", "--exchange", scene.exchange]);
    await expectRefusals(
      wire,
      NAMES.flatMap((name) => [
        ["describe_table", { table_name: name }],
        ["profile_table", { table_name: name }],
        ["profile_table", { table_name: "t", columns: [name] }],
        ["export_data", { path: "y.csv", table_name: name }],
        ["import_data", { path: "x.csv", table_name: name }],
        ["read_query", { query: "SELECT 1", database: name }],
      ]),
    );
    // It is there, and does what nobody may.
    await expectRefusals(wire, [
      ["profile_table", { table_name: "loader" }],
      ["export_data", { path: "y.csv", table_name: "loader" }],
    ]);
    const loaded = await wire.request("resources/read", { uri: "sqlite://app/table/loader/rows" });
    expect(loaded.error?.message).toMatch(/unsafe use of load_extension/);
    for (const name of NAMES) {
      const table = encodeURIComponent(name);
      for (const uri of [
        `sqlite://app/table/${table}`,
        `sqlite://app/table/${table}/rows`,
        `sqlite://app/query/${table}`,
      ]) {
        const { error } = await wire.request("resources/read", { uri });
        expect(error?.data, uri.slice(0, 100)).toMatchObject({ "dev.suite/error": { code: "not_found" } });
      }
      const known = { arguments: { db: name, table: name, database: name } };
      for (const [argument, ref] of [
        ["table", { type: "ref/resource", uri: "sqlite://{db}/table/{table}" }],
        ["column", { type: "ref/prompt", name: "analyze_table" }],
      ] as const) {
        const { result } = await wire.request("completion/complete", {
          ref,
          argument: { name: argument, value: name },
          context: known,
        });
        expect(result?.["completion"]).toMatchObject({ values: [] });
      }
    }
    const { result } = await wire.request("resources/read", {
      uri: `sqlite://app/table/${encodeURIComponent('a"b; DROP TABLE t; --')}/rows`,
    });
    expect(result?.["contents"]).toHaveLength(1);
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });
});

describe("SQL that looks like an attack and is none", () => {
  it.each<readonly [sql: string, rows: unknown]>([
    ["SELECT replace('a', 'a', 'b') AS x", [["b"]]],
    ['SELECT attach, "delete", vacuum FROM pragma', [["PRAGMA query_only=0", ";DROP TABLE t;", "--"]]],
    ["SELECT pragma.attach FROM pragma", [["PRAGMA query_only=0"]]],
    ["SELECT 'PRAGMA query_only=0; ATTACH ''x'' AS y' AS pragma", [["PRAGMA query_only=0; ATTACH 'x' AS y"]]],
    ['WITH pragma AS (SELECT 1 AS "attach") SELECT attach FROM pragma', [[1]]],
    ["WITH replace AS (SELECT 1) SELECT * FROM replace", [[1]]],
    ["WITH pragma_x(a) AS (VALUES (1), (2)) SELECT sum(a) FROM pragma_x", [[3]]],
    ['SELECT 1 AS "delete", 2 AS [vacuum], 3 AS `begin`', [[1, 2, 3]]],
    ['SELECT 1 AS begin_, 2 AS "commit" -- COMMIT', [[1, 2]]],
    ["/* PRAGMA */ SELECT 1 -- ; DELETE FROM t", [[1]]],
    ["SELECT 1 /* an open comment ends with the text; DELETE FROM t", [[1]]],
    [";SELECT 1;;", [[1]]],
    ["SELECT CASE 1 WHEN 1 THEN 'a' END", [["a"]]],
    ["VALUES (1)", [[1]]],
    ["SELECT a FROM t WHERE b LIKE 'ATTACH%' OR b = ';'", [[1]]],
    [
      "SELECT name FROM pragma_table_info('t') UNION SELECT name FROM pragma_index_list('t')",
      [["a"], ["b"], ["i"]],
    ],
    ["SELECT 'pragma_optimize' WHERE 'x' IN ('pragma_optimize', 'x')", [["pragma_optimize"]]],
    ["SELECT pragma_optimize FROM (SELECT 1 AS pragma_optimize)", [[1]]],
    ["SELECT count(*) FROM sqlite_master WHERE name = 't'", [[1]]],
    ["SELECT * FROM innocent;", [[1], [2]]],
    ["EXPLAIN SELECT 1", expect.anything()],
    ["SELECT length(zeroblob(1000)), length(randomblob(4))", [[1000, 4]]],
  ])("is run by read_query: %s", async (query, rows) => {
    const { wire } = await harmless();
    const response = await callTool(wire, "read_query", { query });
    expect(response.result?.["structuredContent"], textOf(response)).toMatchObject({ rows });
  });
});
