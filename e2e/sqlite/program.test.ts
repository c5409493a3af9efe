import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { callTool, listTools, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { createDatabase, rowsOf } from "./direct.ts";
import { openSqlite, runSqlite } from "./program.ts";
import { createShop } from "./shop.ts";
import { itOnUnix } from "../support/programs.ts";

const READING = ["list_tables", "describe_table", "read_query", "explain_query", "profile_table"];

async function nothingServed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runSqlite(args);
  expect({ code, stdout }, stderr).toEqual({ code: 78, stdout: "" });
  return stderr.replaceAll("suite-server-sqlite: ", "");
}

describe("a start", () => {
  it("with what is no database ends with the reason, and the code for it", async () => {
    const folder = createPlace();
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "notes.txt"), "not rows");
    const at = (name: string): string => join(folder, name);
    // Nothing has to be asked of it: that it ends by itself is the point.
    expect(await nothingServed([at("missing.db"), "--tools", "read_query"])).toBe(
      `${at("missing.db")} does not exist\nName a database that exists, or add --create.\n`,
    );
    expect(await nothingServed([at("missing.db")])).toMatch(/missing\.db does not exist\n/);
    expect(await nothingServed([at("folder"), "--tools", "read_query"])).toBe(
      `${at("folder")} is a directory, not a database\nName the file itself.\n`,
    );
    expect(await nothingServed([at("notes.txt"), "--tools", "read_query"])).toMatch(
      /notes\.txt is not an SQLite database\n/,
    );
    expect(await nothingServed([at("new.db"), "--create", "--read-only", "--tools", "read_query"])).toMatch(
      /--read-only creates no files/,
    );
    expect(await nothingServed([at("no/new.db"), "--create", "--tools", "read_query"])).toMatch(
      /its directory does not exist/,
    );
    expect(await nothingServed([":memory:", "--exchange", at("nowhere"), "--tools", "read_query"])).toMatch(
      /--exchange .*nowhere does not exist/,
    );
    expect(readdirSync(folder).toSorted()).toEqual(["folder", "notes.txt"]);
  });

  it("with arguments that make no sense is a matter of usage", async () => {
    for (const args of [
      ["--memory", "5"],
      ["--busy-timeout", "soon"],
      ["--databse", "x"],
    ]) {
      const { code, stderr } = await runSqlite([":memory:", ...args]);
      expect(code, stderr).toBe(64);
      expect(stderr).toContain("--help");
    }
  });

  it("without a database lets every tool say how to get one", async () => {
    const wire = await openSqlite([]);
    const response = await callTool(wire, "read_query", { query: "SELECT 1" });
    expect(textOf(response)).toMatch(/^No database is configured\.\nStart the server with a database file/);
  });
});

describe("databases", () => {
  it("are made where that is wanted", async () => {
    const file = join(createPlace(), "new.db");
    const wire = await openSqlite([file, "--create", "--allow-ddl"]);
    await callTool(wire, "create_table", { query: "CREATE TABLE t (a)" });
    await callTool(wire, "write_query", { query: "INSERT INTO t VALUES (1)" });
    await wire.end();
    expect(rowsOf(file, "SELECT a FROM t")).toEqual([[1]]);
  });

  it("in memory are there for as long as the server", async () => {
    const wire = await openSqlite([":memory:", "--allow-ddl"]);
    await callTool(wire, "create_table", { query: "CREATE TABLE t (a)" });
    await callTool(wire, "execute_batch", {
      statements: [{ query: "INSERT INTO t VALUES (1)" }, { query: "INSERT INTO t VALUES (2)" }],
    });
    expect(textOf(await callTool(wire, "read_query", { query: "SELECT sum(a) AS s FROM t" }))).toMatch(
      /\ns\n3\n/,
    );
    await wire.end();
    expect(existsSync(":memory:")).toBe(false);
  });

  it("are several, each by its name", async () => {
    const folder = createPlace();
    const one = createDatabase(join(folder, "one.db"), "CREATE TABLE t (a); INSERT INTO t VALUES ('one')");
    const two = createDatabase(join(folder, "two.db"), "CREATE TABLE t (a); INSERT INTO t VALUES ('two')");
    const wire = await openSqlite([one, `second=${two}`, "--db-path", ":memory:"]);
    const ask = async (database?: string): Promise<string> =>
      textOf(
        await callTool(wire, "read_query", {
          query: "SELECT a FROM t",
          ...(database !== undefined && { database }),
        }),
      );
    expect(await ask("one")).toMatch(/>\na\none\n/);
    expect(await ask("second")).toMatch(/>\na\ntwo\n/);
    expect(await ask()).toMatch(
      /several databases: say which\.\nSet database to one of: one, second, memory/,
    );
    expect(await ask("memory")).toMatch(/No such table: t/);
    expect(textOf(await callTool(wire, "list_tables"))).toMatch(
      /one: 1 table\n[\s\S]*second: 1 table\n[\s\S]*memory: no tables/,
    );
  });

  it("that are damaged are told from others, and left as they are", async () => {
    const folder = createPlace();
    const file = createDatabase(
      join(folder, "app.db"),
      "CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5000) SELECT i FROM r",
    );
    const bytes = readFileSync(file);
    bytes.fill(0xaa, 4096, bytes.length);
    writeFileSync(file, bytes);
    const wire = await openSqlite([file]);
    for (const [tool, args] of [
      ["read_query", { query: "SELECT count(*), sum(a) FROM t" }],
      ["write_query", { query: "INSERT INTO t VALUES (1)" }],
    ] as const) {
      const response = await callTool(wire, tool, { ...args });
      expect(textOf(response)).toMatch(/^The database file is damaged\. Nothing was written/);
    }
    await wire.end();
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("may be replaced while they are served", async () => {
    const folder = createPlace();
    const file = createShop(folder);
    const wire = await openSqlite([file]);
    expect(textOf(await callTool(wire, "read_query", { query: "SELECT count(*) AS n FROM users" }))).toMatch(
      /\nn\n3\n/,
    );
    renameSync(createDatabase(join(folder, "next.db"), "CREATE TABLE users (a)"), file);
    expect(textOf(await callTool(wire, "read_query", { query: "SELECT count(*) AS n FROM users" }))).toMatch(
      /\nn\n0\n/,
    );
    rmSync(file);
    expect(textOf(await callTool(wire, "read_query", { query: "SELECT * FROM users" }))).toMatch(
      /^The database file shop\.db does not exist\./,
    );
  });

  it("whose schema others change are seen as they are", async () => {
    const file = createShop(createPlace());
    const wire = await openSqlite([file]);
    const columns = async (): Promise<string | undefined> =>
      textOf(await callTool(wire, "read_query", { query: "SELECT * FROM log" })).split("\n")[2];
    expect(await columns()).toBe("text");
    createDatabase(file, "ALTER TABLE log ADD COLUMN more; INSERT INTO log VALUES ('a', 'b')");
    expect(await columns()).toBe("text | more");
    createDatabase(file, "ALTER TABLE log DROP COLUMN text");
    expect(await columns()).toBe("more");
  });
});

describe("the tools", () => {
  const ROWS = ["write_query", "execute_batch"];
  const UNDO = ["undo"];
  const SCHEMA = ["create_table", "alter_or_drop"];
  const FILES = ["import_data", "export_data", "backup_database"];

  it.each([
    [[":memory:"], [...READING, ...ROWS, ...UNDO, "append_insight"]],
    [
      [":memory:", "--no-undo"],
      [...READING, ...ROWS, "append_insight"],
    ],
    [
      [":memory:", "--exchange", tmpdir()],
      [...READING, ...ROWS, ...UNDO, ...FILES, "append_insight"],
    ],
    // There is no database to judge by yet.
    [["--allow-ddl"], [...READING, ...ROWS, ...SCHEMA, ...UNDO, "append_insight"]],
  ])("are those that can do something with %j", async (args, names) => {
    const wire = await openSqlite(args);
    expect((await listTools(wire)).map(({ name }) => name)).toEqual(names);
  });

  it("for rows refuse to change the schema without --allow-ddl", async () => {
    const file = createShop(createPlace());
    const wire = await openSqlite([file]);
    const query = "DROP TABLE log";
    for (const response of [
      await callTool(wire, "write_query", { query }),
      await callTool(wire, "execute_batch", { statements: [query] }),
    ]) {
      expect(errorOf(response).code).toBe("permission_denied");
      expect(textOf(response)).toContain("--allow-ddl");
    }
    expect(rowsOf(file, "SELECT count(*) FROM log")).toEqual([[0]]);
  });

  it("for batches change the schema only as the tools that are offered", async () => {
    const file = createShop(createPlace());
    const wire = await openSqlite([file, "--allow-ddl", "--exclude-tools", "alter_or_drop"]);
    const create = "CREATE TABLE made (a)";
    const refused = await callTool(wire, "execute_batch", { statements: [create, "DROP TABLE log"] });
    expect(textOf(refused)).toMatch(
      /^Statement 2 of 2 failed, so nothing was changed\.[^]*Use alter_or_drop\./,
    );
    expect(errorOf(refused)).toMatchObject({ code: "invalid_input", details: { statement: 2 } });
    const insert = "INSERT INTO made VALUES (1)";
    const done = await callTool(wire, "execute_batch", { statements: [create, insert, insert] });
    expect(textOf(done)).toMatch(/^3 statements, 2 rows changed:\n1\. CREATE\n2-3\. INSERT 1 each\n/);
    expect(rowsOf(file, "SELECT a FROM made")).toEqual([[1], [1]]);
  });
});

describe("what may be written", () => {
  itOnUnix("is a file that nobody may read who may not read the database", async () => {
    const [folder, exchange] = [createPlace(), createPlace()];
    const file = createShop(folder);
    chmodSync(file, 0o640);
    const wire = await openSqlite([file, "--exchange", exchange]);
    await callTool(wire, "export_data", { path: "log.csv", table_name: "log" });
    await callTool(wire, "backup_database", { path: "copy.db" });
    const modes = ["log.csv", "copy.db"].map((name) => statSync(join(exchange, name)).mode & 0o777);
    expect(modes).toEqual([0o640, 0o640]);
    expect(rowsOf(join(exchange, "copy.db"), "SELECT count(*) FROM users")).toEqual([[3]]);
    expect(readdirSync(exchange).toSorted()).toEqual(["copy.db", "log.csv"]);
  });
});

describe("the doctor", () => {
  it("says what is there and what is missing", async () => {
    const folder = createPlace();
    const file = createShop(folder);
    const fine = await runSqlite([file, ":memory:", join(folder, "new.db"), "--create", "--doctor"]);
    expect(fine).toMatchObject({ code: 0, stderr: "" });
    expect(fine.stdout).toMatch(
      /^ok {7}sqlite: SQLite 3\.\d+\.\d+ \(needs better-sqlite3 12, built for this Node\.js, or 13\)/m,
    );
    expect(fine.stdout).toMatch(
      /^ok {7}databases: shop \(writable\), memory \(will be created\), new \(will be created\) /m,
    );
    const reading = await runSqlite([file, "--read-only", "--doctor"]);
    expect(reading.stdout).toMatch(/^ok {7}databases: shop \(read-only\) /m);
    const damaged = join(createPlace(), "damaged.db");
    writeFileSync(damaged, "SQLite format 3\0".padEnd(4096, "x"));
    const ill = await runSqlite([damaged, join(folder, "missing.db"), ":memory:", "--doctor", "--json"]);
    expect(ill.code).toBe(69);
    expect(JSON.parse(ill.stdout)).toMatchObject({ healthy: false });
    expect(ill.stdout).toMatch(/damaged\.db: .*, .*missing\.db: .* does not exist, memory/);
    const none = await runSqlite(["--doctor"]);
    // It starts without one, as its tools say how to get one.
    expect(none.code).toBe(0);
    expect(none.stdout).toMatch(/^warning {2}databases: none given /m);
    const unusable = await runSqlite([file, "--exchange", join(folder, "nowhere"), "--doctor"]);
    expect(unusable.code).toBe(69);
    expect(unusable.stdout).toMatch(
      /^MISSING {2}settings: .*nowhere does not exist .*\n +Name directories that exist\.$/m,
    );
    expect(readdirSync(folder)).toEqual(["shop.db"]);
  });
});
