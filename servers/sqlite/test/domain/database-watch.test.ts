import { execFileSync } from "node:child_process";
import { existsSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { needs } from "@suite/server-kit/testing";
import { afterEach, describe, expect, it } from "vitest";
import { DatabaseWatch, fingerprintOf } from "../../src/domain/database-watch.ts";
import { Databases, type NamedDatabase } from "../../src/domain/databases.ts";
import { LocalProgram } from "./local-program.ts";
import { useOtherPrograms } from "./other-program.ts";
import { unstopped, useScratch } from "./scratch.ts";

const scratch = useScratch();
const startOther = useOtherPrograms();
const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function open(file: string, busyTimeoutMs = 1000): { changes: DatabaseWatch; database: NamedDatabase } {
  const options = {
    readOnly: false,
    create: false,
    allowDdl: true,
    busyTimeoutMs,
    memoryBytes: 2 ** 28,
  };
  const databases = new Databases({
    ...options,
    files: [file],
    program: new LocalProgram(),
  });
  const changes = new DatabaseWatch();
  ends.push(
    () => changes.close(),
    () => databases.dispose(),
  );
  return { changes, database: databases.get(undefined) };
}

describe("changes", () => {
  it("of the schema are told of once it can be looked at, though it was locked by then", async () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    const { changes, database } = open(file, 10);
    const look = (): Promise<unknown> => database.engine.task("version", {}, unstopped());
    let schemas = 0;
    changes.listenToSchema(database, () => (schemas += 1));
    await look();
    const other = await startOther(
      file,
      `database.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE u (a)"); ready(); sleep(60000);`,
    );
    changes.look();
    // The look that this made has failed when a later one has.
    await expect(look()).rejects.toMatchObject({ code: "unavailable" });
    other.kill("SIGKILL");
    expect(schemas).toBe(0);
    await expect.poll(() => schemas).toBe(1);
  });

  it("in memory are noticed when we make them", async () => {
    const { changes, database } = open(":memory:");
    let [count, schemas] = [0, 0];
    changes.listen(database, () => (count += 1));
    changes.listenToSchema(database, () => (schemas += 1));
    await database.engine.write({ sql: "CREATE TABLE t (a)" }, unstopped());
    changes.wrote(database);
    expect(count).toBe(1);
    await expect.poll(() => schemas).toBe(1);
  });

  needs(it, "renaming what is open")(
    "include another file under the same name, whatever its number",
    async () => {
      const file = scratch.create("a.db", "CREATE TABLE t (a)");
      const other = scratch.create("b.db", "CREATE TABLE u (a)");
      const { changes, database } = open(file);
      let schemas = 0;
      changes.listenToSchema(database, () => (schemas += 1));
      await database.engine.task("version", {}, unstopped());
      renameSync(other, file);
      await expect.poll(() => schemas).toBe(1);
      expect(await database.engine.read({ sql: "SELECT * FROM u" }, unstopped())).toMatchObject({ rows: [] });
    },
  );

  it("are no longer told to who has stopped listening, and told to the rest", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    const { changes, database } = open(file);
    const heard: string[] = [];
    const tell = (): void => void heard.push("both");
    const stopFirst = changes.listen(database, tell);
    const stopSecond = changes.listen(database, tell);
    const other = new Database(file);
    ends.push(() => void other.close());
    other.exec("INSERT INTO t VALUES (1)");
    changes.look();
    expect(heard.length).toBe(2);
    stopFirst();
    stopFirst();
    other.exec("INSERT INTO t VALUES (1)");
    changes.look();
    expect(heard.length).toBe(3);
    stopSecond();
    other.exec("INSERT INTO t VALUES (1)");
    changes.look();
    expect(heard.length).toBe(3);
    changes.listen(database, tell);
    changes.look();
    expect(heard.length).toBe(3);
  });
});

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
  needs(
    it,
    "named pipes",
    "symbolic links",
  )("waits for no pipe, and follows no link in a circle", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a);");
    writeFileSync(`${file}-wal`, "log");
    execFileSync("mkfifo", [`${file}-shm`, scratch.path("pipe.db")]);
    symlinkSync("round.db", scratch.path("round.db"));
    expect(fingerprintOf(file)).not.toBe("");
    expect(fingerprintOf(scratch.path("pipe.db"))).not.toBe("");
    expect(fingerprintOf(scratch.path("round.db"))).toBe(fingerprintOf(scratch.path("nothing.db")));
  });

  it("is there for what is not", () => {
    expect(fingerprintOf(scratch.path("nothing.db"))).toBe(fingerprintOf(scratch.path("nowhere.db")));
  });
});
