import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { callTool, PATIENCE_MS, textOf, until } from "@suite/check/wires";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";

import { createDatabase, rowsOf } from "../sqlite/direct.ts";
import { openSqlite } from "../sqlite/program.ts";
import { SQLITE } from "../support/servers.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { underPermissions } from "../support/processes.ts";
import { Wire } from "../support/wire.ts";
import { itOnLinux } from "../support/programs.ts";

const ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
const LEFT_BEHIND = /suite-tmp/;

const createApp = (folder: string, script: string): string => createDatabase(join(folder, "app.db"), script);

describe("a person is asked", () => {
  it("before an import, which may replace and delete rows", async () => {
    const folder = createPlace();
    const file = createApp(
      folder,
      `CREATE TABLE t (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, v); INSERT INTO t VALUES (1, 'old');`,
    );
    writeFileSync(join(folder, "t.csv"), "id,v\n1,new\n");
    const wire = await openSqlite([file, "--exchange", folder, "--confirm"]);
    const args = { path: "t.csv", table_name: "t" };
    expect(textOf(await callTool(wire, "import_data", args))).toMatch(/needs a person's consent/);
    expect(textOf(await callTool(wire, "import_data", { ...args, dry_run: true }))).toMatch(/1 row/);
    await wire.end();
    expect(rowsOf(file, "SELECT v FROM t")).toEqual([["old"]]);
  });
});

describe("a dry run", () => {
  it("fails where the commit would: foreign keys that are deferred", async () => {
    const folder = createPlace();
    const file = createApp(
      folder,
      `CREATE TABLE p (id INTEGER PRIMARY KEY);
       CREATE TABLE c (id INTEGER PRIMARY KEY, p_id INT REFERENCES p DEFERRABLE INITIALLY DEFERRED);
       PRAGMA foreign_keys = OFF; INSERT INTO c VALUES (99, 99);`,
    );
    writeFileSync(join(folder, "bad.csv"), "id,p_id\n1,7\n");
    const wire = await openSqlite([file, "--exchange", folder]);
    const bad = { query: "INSERT INTO c VALUES (1, 7)" };
    const parent = { query: "INSERT INTO p VALUES (7)" };
    const calls = [
      ["write_query", bad],
      ["execute_batch", { statements: [bad] }],
      ["import_data", { path: "bad.csv", table_name: "c" }],
    ] as const;
    for (const [tool, args] of calls) {
      for (const dry of [true, false]) {
        const response = await callTool(wire, tool, { ...args, dry_run: dry });
        expect
          .soft(textOf(response), `${tool} ${dry}`)
          .toMatch(/foreign key would point to a row that does not exist/);
      }
    }
    const good = await callTool(wire, "execute_batch", { statements: [bad, parent], dry_run: true });
    expect(good.result?.["isError"], textOf(good)).not.toBe(true);
    await wire.end();
    expect(rowsOf(file, "SELECT id FROM c")).toEqual([[99]]);
  });
});

describe("an export or a backup whose server is killed", () => {
  it("leaves nothing for longer than until the next one", async () => {
    const folder = createPlace();
    const file = createApp(folder, "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    const left = (): string[] => readdirSync(folder).filter((name) => LEFT_BEHIND.test(name));
    const wire = await openSqlite([file, "--exchange", folder]);
    wire.send("tools/call", {
      name: "export_data",
      arguments: { path: "x.csv", query: `${ENDLESS} SELECT x FROM n` },
    });
    await until(() => left().length > 0, "A temporary file");
    process.kill(wire.pid ?? 0, "SIGKILL");
    await wire.exited;
    expect(left()).toHaveLength(1);
    const next = await openSqlite([file, "--exchange", folder]);
    await callTool(next, "backup_database", { path: "x.db" });
    expect(left()).toEqual([]);
    await next.end();
  });
});

describe("the time for a call", () => {
  it("holds for exports, imports and backups", async () => {
    const folder = createPlace();
    const file = createApp(
      folder,
      `CREATE TABLE t (a); CREATE TABLE log (n);
       CREATE TRIGGER slow AFTER INSERT ON t BEGIN INSERT INTO log SELECT count(*) FROM t AS a, v; END;
       CREATE VIEW v AS ${ENDLESS} SELECT x FROM n;`,
    );
    writeFileSync(join(folder, "t.csv"), "a\n1\n");
    const wire = await openSqlite([
      file,
      "--exchange",
      folder,
      "--timeout",
      "400ms",
      "--busy-timeout",
      "30s",
    ]);
    const holder = new Database(file);
    try {
      for (const [tool, args] of [
        ["export_data", { path: "x.csv", table_name: "v" }],
        ["import_data", { path: "t.csv", table_name: "t" }],
        ["backup_database", { path: "x.db" }],
      ] as const) {
        if (tool === "backup_database") holder.exec("BEGIN EXCLUSIVE");
        const response = await callTool(wire, tool, args);
        expect.soft(errorOf(response), `${tool}: ${textOf(response)}`).toMatchObject({ code: "timeout" });
      }
    } finally {
      holder.close();
    }
    await wire.end();
    expect(readdirSync(folder).filter((name) => LEFT_BEHIND.test(name))).toEqual([]);
    expect(rowsOf(file, "SELECT count(*) FROM t")).toEqual([[0]]);
  });
});

describe("half a character", () => {
  it("is stored nowhere", async () => {
    const folder = createPlace();
    const file = createApp(folder, "CREATE TABLE t (a)");
    writeFileSync(join(folder, "t.jsonl"), '{"a":"x\\udc00"}\n');
    const wire = await openSqlite([file, "--exchange", folder]);
    for (const [tool, args] of [
      ["write_query", { query: "INSERT INTO t VALUES (?)", params: ["x\uD800"] }],
      ["write_query", { query: "INSERT INTO t VALUES (:a)", params: { a: "\uDC00x" } }],
      ["write_query", { query: "INSERT INTO t VALUES ('\uD800')" }],
      ["import_data", { path: "t.jsonl", table_name: "t" }],
    ] as const) {
      const response = await callTool(wire, tool, args);
      expect.soft(errorOf(response), JSON.stringify(args)).toMatchObject({ code: "invalid_input" });
      expect.soft(textOf(response)).toMatch(/half a character/);
    }
    const whole = { query: "INSERT INTO t VALUES (?)", params: ["x\u{1F600}"] };
    expect((await callTool(wire, "write_query", whole)).result?.["isError"]).not.toBe(true);
    await wire.end();
    expect(rowsOf(file, "SELECT hex(a) FROM t")).toEqual([["78F09F9880"]]);
  });
});

describe("parameters by number", () => {
  it("are found by every spelling", async () => {
    const wire = await openSqlite([":memory:"]);
    for (const [query, params, row] of [
      ["SELECT ?001 AS a, ?1 AS b", [7], [7, 7]],
      ["SELECT ?1 AS a, ?001 AS b, ?2", [7, 8], [7, 7, 8]],
      ["SELECT :a AS a, ?1 AS b", [7], [7, 7]],
      ["SELECT ? AS a, ?01 AS b", [7], [7, 7]],
    ] as const) {
      const response = await callTool(wire, "read_query", { query, params });
      const about = `${query}: ${textOf(response)}`;
      expect.soft(response.result?.["structuredContent"], about).toMatchObject({ rows: [row] });
    }
    await wire.end();
  });
});

describe("a damaged database", () => {
  it.each(["delete", "wal"])("is not backed up as if it were sound, in the mode %s", async (mode) => {
    const folder = createPlace();
    const script = `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a UNIQUE, b NOT NULL);
      INSERT INTO t WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000) SELECT x, 'row ' || x FROM n;`;
    const file = createApp(folder, script);
    const sound = await openSqlite([file, "--exchange", folder]);
    const copied = await callTool(sound, "backup_database", { path: "sound.db" });
    expect(textOf(copied)).toMatch(/^Copied/);
    await sound.end();
    expect(rowsOf(join(folder, "sound.db"), "SELECT count(*) FROM t")).toEqual([[2000]]);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096 * 5, 4096 * 7);
    writeFileSync(file, bytes);
    const wire = await openSqlite([file, "--exchange", folder]);
    const response = await callTool(wire, "backup_database", { path: "x.db" });
    expect(textOf(response)).toMatch(/damaged/);
    expect(errorOf(response)).toMatchObject({ code: "unavailable", retryable: false });
    await wire.end();
    expect(readdirSync(folder).filter((name) => /^x\.db|suite-tmp/.test(name))).toEqual([]);
  });
});

describe("a database in a directory that cannot be written", () => {
  itOnLinux("in WAL mode says that it is the directory", async () => {
    const folder = createPlace();
    const file = createApp(folder, "PRAGMA journal_mode = wal; CREATE TABLE t (a)");
    chmodSync(file, 0o644);
    chmodSync(folder, 0o555);
    const wire = await Wire.open(underPermissions([...SQLITE, file]), {
      revision: "2026-07-28",
    });
    const response = await callTool(wire, "read_query", { query: "SELECT * FROM t" });
    expect(textOf(response)).toMatch(
      /^The directory of the database cannot be written, .* a log in WAL mode/,
    );
    expect(errorOf(response)).toMatchObject({ code: "permission_denied" });
    await wire.end();
    chmodSync(folder, 0o755);
  });
});

describe("SQLite for another Node.js", () => {
  /** A copy of the server, with a library of its own. */
  function copyServer(install: (modules: string) => void): string {
    const folder = createPlace();
    const server = fileURLToPath(new URL("../../servers/sqlite/", import.meta.url));
    cpSync(join(server, "dist"), join(folder, "dist"), { recursive: true });
    cpSync(join(server, "package.json"), join(folder, "package.json"));
    mkdirSync(join(folder, "node_modules"));
    install(join(folder, "node_modules"));
    return join(folder, "dist", "main.js");
  }

  /** Whose native part is for another Node.js. */
  function installForeign(modules: string): void {
    let from = import.meta.url;
    for (const name of ["better-sqlite3", "bindings", "file-uri-to-path"]) {
      from = createRequire(from).resolve(`${name}/package.json`);
      cpSync(dirname(from), join(modules, name), { recursive: true, dereference: true });
    }
    // A library that registers nothing with this Node.js, and has the name of another one's entry point in it.
    const built = join(modules, "better-sqlite3/build/Release");
    const other = readFileSync(join(built, "test_extension.node"));
    const entry = Buffer.from("\0node_register_module_v108\0");
    writeFileSync(join(built, "better_sqlite3.node"), Buffer.concat([other, entry]));
  }

  /** One that crashes on a Node.js that is too old for it, as 13 does on 20. */
  function installTooNew(modules: string): void {
    const folder = join(modules, "better-sqlite3");
    mkdirSync(folder);
    const manifest = { version: "99.0.0", main: "index.js", engines: { node: ">=99" }, scripts: {} };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "index.js"), "module.exports = function () { process.abort(); };");
  }

  it("says which one it was built for, which one runs, and how to mend it", async () => {
    const main = copyServer(installForeign);
    const said = `better-sqlite3 was built for Node.js 18 (ABI 108), and this is Node.js ${process.versions.node} (ABI ${process.versions.modules}, ${process.execPath}).`;
    const command = `PATH="${dirname(process.execPath)}:$PATH" npm run install`;
    const wire = await Wire.open([process.execPath, main, ":memory:"], {
      revision: "2026-07-28",
    });
    const text = textOf(await callTool(wire, "list_tables", {}));
    expect(text).toContain(said);
    expect(text).toContain(command);
    await wire.end();
  });

  it("does not crash with a library that needs a newer one, and says so", async () => {
    const main = copyServer(installTooNew);
    const said = `better-sqlite3 99.0.0 needs Node.js 99, and this is Node.js ${process.versions.node}`;
    const wire = await Wire.open([process.execPath, main, ":memory:"], {
      revision: "2026-07-28",
    });
    const text = textOf(await callTool(wire, "list_tables", {}));
    expect(text).toContain(said);
    expect(text).toContain("installs it again with this one");
    await wire.end();
    const doctor = spawnSync(process.execPath, [main, "--doctor"], {
      encoding: "utf8",
      timeout: PATIENCE_MS,
    });
    expect(doctor.stdout).toContain(`MISSING  sqlite: ${said}`);
    expect(doctor.status).toBe(69);
  });
});
