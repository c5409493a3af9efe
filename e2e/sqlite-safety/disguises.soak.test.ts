import { callTool, type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { takeSnapshot } from "../filesystem/snapshot.ts";
import { withDirect } from "../sqlite/direct.ts";
import { openSqlite } from "../sqlite/program.ts";
import type { Wire } from "../support/wire.ts";
import {
  ALWAYS,
  CHANGING,
  disguises,
  disguisedSome,
  EVERYTHING,
  ODD,
  QUERIES,
  REACHING,
  VERBS,
} from "./disguises.ts";
import { createScene, expectRefusals, tracesOf } from "./scene.ts";

/** What a connection would do otherwise if any setting of it had been changed. */
async function behaviourOf(wire: Wire): Promise<readonly unknown[]> {
  const ask = async (tool: string, args: Fields): Promise<unknown> => {
    const response = await callTool(wire, tool, args);
    const structured = response.result?.["structuredContent"] as Fields | undefined;
    return structured ? { ...structured, elapsed_ms: 0 } : textOf(response).replaceAll(/untrusted-\w+/g, "");
  };
  return [
    await ask("read_query", { query: "SELECT a FROM t" }),
    await ask("read_query", { query: "SELECT 'a' LIKE 'A', b FROM t, pragma ORDER BY a" }),
    await ask("read_query", {
      query: "SELECT name FROM pragma_table_list WHERE schema <> 'main' ORDER BY 1",
    }),
    await ask("read_query", {
      query:
        "SELECT * FROM pragma_user_version, pragma_application_id, pragma_page_count, pragma_freelist_count",
    }),
    await ask("read_query", { query: "DELETE FROM t" }),
    await ask("list_tables", {}),
    await ask("describe_table", { table_name: "t" }),
    await ask("write_query", { query: "INSERT INTO child VALUES (77)" }),
    await ask("write_query", { query: "INSERT INTO t VALUES (7, 'bad')" }),
    await ask("write_query", { query: "INSERT INTO t (b) VALUES ('fine')", dry_run: true }),
    await ask("write_query", { query: "UPDATE sqlite_master SET name = 'x'" }),
  ];
}

const PRAGMAS =
  "journal_mode user_version application_id auto_vacuum page_size encoding schema_version page_count freelist_count integrity_check".split(
    " ",
  );

const settingsOf = (file: string): readonly unknown[] =>
  withDirect(file, (database) => PRAGMAS.map((name) => [name, database.pragma(name, { simple: true })]), {
    readonly: true,
  });

/** A query whose program is looked at and not run: what it would meet there refuses it only when it runs. */
const EXPLAINED = new Set(
  QUERIES.flatMap((sql) => disguises(sql).filter((attack) => /^explain\b/i.test(attack))),
);

/** What a query is refused as, in some of its disguises. */
const NO_QUERIES = [...disguisedSome(EVERYTHING).filter((sql) => !EXPLAINED.has(sql)), ...ODD];

describe("where one only reads", () => {
  it.each(["--read-only", "--allow-ddl"])("no statement does more, with %s", async (flag) => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const settings = settingsOf(scene.file);
    const wire = await openSqlite([scene.file, flag]);
    const behaviour = await behaviourOf(wire);
    await expectRefusals(
      wire,
      NO_QUERIES.map((sql) => ["read_query", { query: scene.toSql(sql) }]),
    );
    expect(await behaviourOf(wire)).toEqual(behaviour);
    expect(settingsOf(scene.file)).toEqual(settings);
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });

  it("none does in memory either, where the same connection writes", async () => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const wire = await openSqlite([":memory:", "--allow-ddl"]);
    for (const query of ["CREATE TABLE t (a, b)", "CREATE TABLE sink (x)"])
      await callTool(wire, "create_table", { query });
    await callTool(wire, "write_query", { query: "INSERT INTO t VALUES (1, 2)" });
    const state = {
      query: "SELECT (SELECT count(*) FROM sqlite_schema), (SELECT count(*) FROM sink), a, b FROM t",
    };
    await expectRefusals(
      wire,
      NO_QUERIES.map((sql) => ["read_query", { query: scene.toSql(sql) }]),
    );
    const { result } = await callTool(wire, "read_query", state);
    expect(result?.["structuredContent"]).toMatchObject({ rows: [[2, 0, 1, 2]] });
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });

  it("plans are looked at, and nothing is done", async () => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const wire = await openSqlite([scene.file, "--allow-ddl"]);
    const attacks = [...disguisedSome([...ALWAYS, ...VERBS]), ...ODD];
    await expectRefusals(
      wire,
      attacks.map((sql) => ["explain_query", { query: scene.toSql(sql) }]),
    );
    // What may be run has a plan.
    const others = disguisedSome([...REACHING, ...CHANGING, ...QUERIES]);
    for (const sql of others) await callTool(wire, "explain_query", { query: scene.toSql(sql) });
    for (const sql of EVERYTHING) {
      await wire.request("prompts/get", { name: "optimize_query", arguments: { query: scene.toSql(sql) } });
    }
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });
});

describe("where one may write, the schema too", () => {
  it("no statement reaches further", async () => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const settings = settingsOf(scene.file);
    const wire = await openSqlite([scene.file, "--allow-ddl", "--exchange", scene.exchange]);
    const behaviour = await behaviourOf(wire);
    const plain = [...ALWAYS, ...VERBS, ...REACHING];
    for (const [attacks, extra] of [
      [[...disguisedSome(plain), ...ODD], {}],
      [[...plain, ...ODD], { dry_run: true }],
    ] as const) {
      await expectRefusals(
        wire,
        attacks.map(scene.toSql).flatMap((query) => [
          ["write_query", { query, ...extra }],
          ["create_table", { query, ...extra }],
          ["execute_batch", { statements: [{ query: "DELETE FROM t" }, { query }], ...extra }],
        ]),
      );
    }
    expect(await behaviourOf(wire)).toEqual(behaviour);
    expect(settingsOf(scene.file)).toEqual(settings);
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });

  it("no query for a file does either", async () => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const wire = await openSqlite([scene.file, "--allow-ddl", "--exchange", scene.exchange]);
    const calls = NO_QUERIES.map(
      (sql) => ["export_data", { path: "x.csv", query: scene.toSql(sql), dry_run: true }] as const,
    );
    await expectRefusals(wire, calls);
    await expectRefusals(
      wire,
      EVERYTHING.map((sql) => ["export_data", { path: "x.csv", query: scene.toSql(sql) }]),
    );
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });
});
