import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { call, failureOf, useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;
const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
const exchange = (name = ""): string => scratch.path(`exchange/${name}`);

describe("backup_database", () => {
  it.each([
    ["a log", "copy.db-wal", "PRAGMA journal_mode = wal; UPDATE t SET a = 'other';"],
    ["a journal", "copy.db-journal", "PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = zeroblob(5000);"],
  ])("is not made beside %s of another copy, which would become a part of it", async (_, left, script) => {
    const file = scratch.create(
      "app.db",
      `CREATE TABLE t (a); ${"INSERT INTO t VALUES ('kept');".repeat(9)}`,
    );
    const client = await served.connect({ files: [file] });
    await call(client, "backup_database", { path: "copy.db" });
    // A program that is killed leaves it.
    const killed = `new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(exchange("copy.db"))}).exec(${JSON.stringify(script)});
      process.kill(process.pid, "SIGKILL");`;
    expect(spawnSync(process.execPath, ["-e", killed]).status).not.toBe(0);
    const before = scratch.snapshot();
    const conflict = { code: "conflict", text: expect.stringContaining(left) as string };
    const again = { path: "copy.db", overwrite: true };
    expect(await failureOf(client, "backup_database", { ...again, dry_run: true })).toMatchObject(conflict);
    expect(await failureOf(client, "backup_database", again)).toMatchObject(conflict);
    expect(scratch.snapshot()).toEqual(before);
    rmSync(exchange("copy.db"));
    expect(await failureOf(client, "backup_database", { path: "copy.db" })).toMatchObject(conflict);
    expect(readdirSync(exchange())).not.toContain("copy.db");
  });

  it("replaces a copy that somebody has looked at", async () => {
    const file = scratch.create("app.db", "PRAGMA journal_mode = wal; CREATE TABLE t (a)");
    const client = await served.connect({ files: [file] });
    await call(client, "backup_database", { path: "copy.db" });
    const copy = new Database(exchange("copy.db"), { readonly: true });
    copy.prepare("SELECT * FROM t").all();
    copy.close();
    expect(readdirSync(exchange())).toContain("copy.db-shm");
    await call(client, "backup_database", { path: "copy.db", overwrite: true });
    expect(readdirSync(exchange())).toContain("copy.db");
  });
});
