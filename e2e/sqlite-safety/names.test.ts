import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, isGood, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { takeSnapshot } from "../filesystem/snapshot.ts";
import { openSqlite } from "../sqlite/program.ts";
import { createScene, expectRefusals, tracesOf } from "./scene.ts";

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
  it("is run by read_query", async () => {
    const scene = createScene();
    const wire = await openSqlite([scene.file]);
    for (const query of [
      "SELECT replace('a', 'a', 'b') AS x",
      'SELECT attach, "delete", vacuum FROM pragma',
      "SELECT pragma.attach FROM pragma",
      "SELECT 'PRAGMA query_only=0; ATTACH x' AS pragma",
      'WITH pragma AS (SELECT 1 AS "attach") SELECT attach FROM pragma',
      "WITH replace AS (SELECT 1) SELECT * FROM replace",
      'SELECT 1 AS begin_, 2 AS "commit" -- COMMIT',
      "SELECT b FROM t WHERE b LIKE 'ATTACH%' OR b = ';'",
      "SELECT name FROM pragma_table_info('t') UNION SELECT name FROM pragma_index_list('t')",
      "SELECT 'pragma_optimize' WHERE 'x' IN ('pragma_optimize', 'x')",
      "SELECT pragma_optimize FROM (SELECT 1 AS pragma_optimize)",
      "SELECT * FROM innocent;",
      "EXPLAIN SELECT 1",
      "SELECT length(zeroblob(1000)), hex(randomblob(4))",
    ]) {
      const response = await callTool(wire, "read_query", { query });
      expect(isGood(response), `${query}: ${textOf(response)}`).toBe(true);
    }
  });
});
