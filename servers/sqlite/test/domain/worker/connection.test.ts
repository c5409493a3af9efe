import { Fault } from "@suite/server-kit/domain";
import { afterEach, describe, expect, it } from "vitest";
import { DatabaseConnection } from "../../../src/domain/worker/connection.ts";
import type { ConnectionUse } from "../../../src/domain/worker/settings.ts";
import { admit, type Access } from "../../../src/domain/sql-policy/admit.ts";
import { useScratch } from "../scratch.ts";

const scratch = useScratch();
const opened: DatabaseConnection[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
});

function connect(
  use: ConnectionUse,
  script = "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
): DatabaseConnection {
  const connection = new DatabaseConnection(scratch.create("a.db", script), use, 100, false);
  opened.push(connection);
  return connection;
}

const admitted = (sql: string, access: Access) => admit(sql, { access, allowDdl: true });
const nothing = [[], {}] as const;

describe("settings", () => {
  const safe = { query_only: 1n, trusted_schema: 0n, cell_size_check: 1n, mmap_size: 0n, temp_store: 2n };

  it.each<[Exclude<ConnectionUse, "memory">, object]>([
    ["read", safe],
    [
      "write",
      {
        ...safe,
        query_only: 0n,
        foreign_keys: 1n,
        writable_schema: 0n,
        ignore_check_constraints: 0n,
        synchronous: 3n,
      },
    ],
  ])("of a connection to %s are back before every call", (use, settings) => {
    const connection = connect(use);
    const found = (): object =>
      Object.fromEntries(
        Object.keys(settings).map((name) => [
          name,
          connection.value(`PRAGMA /* ${Math.random()} */ ${name}`),
        ]),
      );
    connection.assertSettings(use);
    expect(found()).toEqual(settings);
    // As if something had got through after all.
    for (const sql of [
      "query_only = 0",
      "trusted_schema = 1",
      "foreign_keys = 0",
      "writable_schema = 1",
      "ignore_check_constraints = 1",
    ])
      connection.own(`PRAGMA ${sql}`);
    connection.assertSettings(use);
    expect(found()).toMatchObject({ ...settings });
  });
});

describe("prepare", () => {
  it("is for transactions only, where the schema stands still", () => {
    expect(() => connect("read").prepare(admitted("SELECT 1", "read"), nothing)).toThrow(
      "inside a transaction",
    );
  });

  it("keeps statements while the schema is the same, and checks them again when it is not", () => {
    const connection = connect("write");
    connection.assertSettings("write");
    const insert = admitted("INSERT INTO t VALUES (1, 2)", "write");
    connection.begin("IMMEDIATE");
    const first = connection.prepare(insert, nothing);
    expect(connection.prepare(insert, nothing)).toBe(first);
    const create = connection.prepare(
      admitted("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT sqlite_log(1, 'x'); END", "write"),
      nothing,
    );
    create.statement.run();
    expect(() => connection.prepare(insert, nothing)).toThrow(/sqlite_log/);
    connection.end("ROLLBACK");
    connection.begin("IMMEDIATE");
    expect(() => connection.prepare(insert, nothing)).not.toThrow();
    connection.end("ROLLBACK");
  });

  it("checks a statement again that was checked against a schema that was undone", () => {
    const connection = connect("write");
    const insert = admitted("INSERT INTO t VALUES (1, 2)", "write");
    const change = (sql: string): void => {
      connection.begin("IMMEDIATE");
      connection.prepare(admitted(sql, "write"), nothing).statement.run();
    };
    change("CREATE TABLE u (a)");
    expect(() => connection.prepare(insert, nothing)).not.toThrow();
    connection.end("ROLLBACK");
    change("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT sqlite_log(1, 'x'); END");
    connection.end("COMMIT");
    connection.begin("IMMEDIATE");
    expect(() => connection.prepare(insert, nothing)).toThrow(/sqlite_log/);
    connection.end("ROLLBACK");
  });

  it("refuses a statement that was taken for a query and is none", () => {
    const connection = connect("write");
    connection.begin("IMMEDIATE");
    const disguised = { ...admitted("DELETE FROM t RETURNING a", "write"), kind: "read" as const };
    expect(() => connection.prepare(disguised, nothing)).toThrow(Fault);
    expect(() => connection.prepare(disguised, nothing)).toThrow("it would do more than read");
    connection.end("ROLLBACK");
  });
});

describe("plan", () => {
  it("says how a statement would run, with or without EXPLAIN before it, and runs nothing", () => {
    const connection = connect("read", "CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)");
    const detail = (sql: string): unknown => connection.plan(admitted(sql, "explain"), nothing)[0]?.[3];
    expect(detail("SELECT * FROM t WHERE a = 1")).toBe("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
    expect(detail("EXPLAIN QUERY PLAN DELETE FROM t WHERE a = 1")).toBe(
      "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
    );
    expect(detail("EXPLAIN UPDATE t SET a = 2")).toBe("SCAN t");
    expect(connection.value("SELECT count(*) FROM t")).toBe(1n);
  });
});

describe("pragmas as tables", () => {
  it("are refused by any spelling, but for those that describe the schema", () => {
    const connection = connect("read");
    for (const name of [
      "pragma_optimize",
      "PRAGMA_JOURNAL_MODE",
      '"pragma_query_only"',
      "main.pragma_database_list",
    ]) {
      expect(() => connection.own(`SELECT * FROM ${name}`).all()).toThrow(/^pragma_\w+ is refused/);
    }
    expect(connection.own("SELECT name FROM pragma_table_info('t')").all()).toEqual([["a"], ["b"]]);
  });
});
