import { existsSync, utimesSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../src/domain/fingerprint.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

describe.each(["delete", "truncate", "persist", "wal"])("in the journal mode %s, a fingerprint", (mode) => {
  it("is another one after every commit, however fast they follow each other", () => {
    const file = scratch.create(
      "a.db",
      `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a); INSERT INTO t VALUES (0);`,
    );
    const database = new Database(file);
    database.pragma("synchronous = OFF");
    // A log that is used again and again does not grow.
    database.pragma("wal_autocheckpoint = 1");
    const update = database.prepare("UPDATE t SET a = ?");
    const seen = new Set([fingerprintOf(file)]);
    // The same bytes in the same places, in the same tick of the clock: neither sizes nor times tell.
    for (let at = 1; at <= 300; at += 1) {
      update.run(at % 2);
      for (const path of [file, `${file}-wal`].filter(existsSync)) utimesSync(path, 1, 1);
      seen.add(fingerprintOf(file));
    }
    database.close();
    expect(seen.size).toBe(301);
  });

  it("stays while others read, or write and take it back", () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a);`);
    const before = fingerprintOf(file);
    const database = new Database(file);
    expect(database.prepare("SELECT count(*) FROM t").pluck().get()).toBe(0);
    expect(fingerprintOf(file)).toBe(before);
    database.exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (1); ROLLBACK;");
    expect(fingerprintOf(file)).toBe(before);
    database.close();
  });
});

describe("a fingerprint", () => {
  it("is there for what is not", () => {
    expect(fingerprintOf(scratch.path("nothing.db"))).toBe(fingerprintOf(scratch.path("nowhere.db")));
  });
});
