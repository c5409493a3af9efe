import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { changesBetween, type DiskSnapshot, takeSnapshot } from "../filesystem/snapshot.ts";
import { callTool, errorOf, textOf } from "../support/calls.ts";
import { faultsIn } from "../support/faults.ts";
import type { Fields, Message } from "../support/message.ts";
import type { Wire } from "../support/wire.ts";
import {
  ALWAYS,
  CHANGING,
  disguises,
  disguisedSome,
  HOSTILE,
  QUERIES,
  REACHING,
  VERBS,
} from "./disguises.ts";
import { createDatabase, withDirect } from "../sqlite/direct.ts";
import { createPlace, openSqlite } from "../sqlite/program.ts";

const MARKER = "hunter2-must-not-come-out";

interface Scene {
  readonly folder: string;
  readonly file: string;
  readonly exchange: string;
  /** What no file has: the names in the attacks are filled in. */
  readonly toSql: (attack: string) => string;
}

function createScene(): Scene {
  const folder = createPlace();
  const exchange = join(folder, "exchange");
  mkdirSync(exchange);
  writeFileSync(join(folder, "secret.txt"), MARKER);
  createDatabase(
    join(folder, "secret.db"),
    `CREATE TABLE secrets (x); INSERT INTO secrets VALUES ('${MARKER}')`,
  );
  const secret = join(folder, "secret.db");
  const toSql = (attack: string): string =>
    attack.replaceAll("SECRET", secret).replaceAll("OUT", join(folder, "out"));
  return { folder, exchange, toSql, file: createDatabase(join(folder, "app.db"), toSql(HOSTILE)) };
}

/** Refused for what it is, and not because something broke. */
const isRefusal = (response: Message): boolean =>
  response.result?.["isError"] === true &&
  ["permission_denied", "invalid_input", "not_found"].includes(String(errorOf(response).code));

/** All at once: the server answers in its own time. */
async function expectRefusals(
  wire: Wire,
  calls: readonly (readonly [tool: string, args: Fields])[],
): Promise<void> {
  const others: string[] = [];
  for (let at = 0; at < calls.length; at += 200) {
    const part = calls.slice(at, at + 200);
    const responses = await Promise.all(part.map(([tool, args]) => callTool(wire, tool, args)));
    for (const [index, response] of responses.entries())
      if (!isRefusal(response)) others.push(`${JSON.stringify(part[index])}: ${textOf(response)}`);
  }
  expect(others).toEqual([]);
}

/** What a connection would do otherwise if any setting of it had been changed. */
async function behaviourOf(wire: Wire): Promise<readonly unknown[]> {
  const ask = async (tool: string, args: Fields): Promise<unknown> => {
    const response = await callTool(wire, tool, args);
    return response.result?.["structuredContent"] ?? textOf(response).replaceAll(/untrusted-\w+/g, "");
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

/** Paths that are different, and what was told that must not be: nothing of either. */
async function tracesOf(wire: Wire, { folder }: Scene, before: DiskSnapshot): Promise<readonly string[]> {
  const told = wire.rawLines.filter((line) => line.includes(MARKER));
  const { code } = await wire.end();
  return [
    ...told,
    ...faultsIn(wire),
    ...(code === 0 ? [] : [`exit code ${code}`]),
    ...changesBetween(before, takeSnapshot(folder)),
  ];
}

/** A query whose program is looked at and not run: what it would meet there refuses it only when it runs. */
const EXPLAINED = new Set(
  QUERIES.flatMap((sql) => disguises(sql).filter((attack) => /^explain\b/i.test(attack))),
);
const isOnlyExplained = (sql: string): boolean => EXPLAINED.has(sql);

const EVERYTHING = [...ALWAYS, ...VERBS, ...REACHING, ...CHANGING, ...QUERIES];

describe("where one only reads", () => {
  const allDisguised = (statements: readonly string[]): readonly string[] => statements.flatMap(disguises);

  it.each([
    ["--read-only", allDisguised],
    ["--allow-ddl", disguisedSome],
  ] as const)("no statement does more, with %s", async (flag, toAttacks) => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const settings = settingsOf(scene.file);
    const wire = await openSqlite([scene.file, flag]);
    const behaviour = await behaviourOf(wire);
    const attacks = toAttacks(EVERYTHING).filter((sql) => !isOnlyExplained(sql));
    await expectRefusals(
      wire,
      attacks.map((sql) => ["read_query", { query: scene.toSql(sql) }]),
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
    const attacks = disguisedSome(EVERYTHING).filter((sql) => !isOnlyExplained(sql));
    await expectRefusals(
      wire,
      attacks.map((sql) => ["read_query", { query: scene.toSql(sql) }]),
    );
    const { result } = await callTool(wire, "read_query", state);
    expect(result?.["structuredContent"]).toMatchObject({ rows: [[2, 0, 1, 2]] });
    expect(await tracesOf(wire, scene, before)).toEqual([]);
  });

  it("plans are looked at, and nothing is done", async () => {
    const scene = createScene();
    const before = takeSnapshot(scene.folder);
    const wire = await openSqlite([scene.file, "--allow-ddl"]);
    const attacks = disguisedSome([...ALWAYS, ...VERBS]);
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
      [disguisedSome(plain), {}],
      [plain, { dry_run: true }],
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
    const attacks = disguisedSome(EVERYTHING).filter((sql) => !isOnlyExplained(sql));
    const calls = attacks.map(
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

describe("what looks like an attack and is none", () => {
  it("works", async () => {
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
      expect(response.result?.["isError"], `${query}: ${textOf(response)}`).toBeFalsy();
    }
  });
});
