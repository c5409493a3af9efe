import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { ConnectionPool } from "../../../../src/domain/worker/connection-pool.ts";
import type { TaskContext } from "../../../../src/domain/worker/task.ts";
import { backupTask } from "../../../../src/domain/worker/tasks/backup.ts";
import { unstopped, useDatabases } from "../../scratch.ts";

const { scratch, open } = useDatabases();

describe.each(["wal", "delete"])("a backup in the journal mode %s", (mode) => {
  it("is a whole copy, though others write meanwhile", async () => {
    const script = `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a);
      INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 20000) SELECT printf('%.*c', 500, 'x') FROM r;`;
    const file = scratch.create("a.db", script);
    const database = open({ file, mode: "write" });
    const other = new Database(file);
    let writes = 0;
    const onProgress = (): void => {
      if (writes >= 5) return;
      writes += 1;
      other.exec("INSERT INTO t VALUES ('late')");
    };
    await database.task("backup", { to: scratch.path("copy.db") }, unstopped(), { isLong: true, onProgress });
    other.close();
    const copy = new Database(scratch.path("copy.db"));
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(copy.prepare("SELECT count(*) FROM t WHERE a <> 'late'").pluck().get()).toBe(20_000);
    copy.close();
    expect(writes).toBeGreaterThan(0);
    // And both processes are as good as before.
    expect(
      await database.task("profile", { table: "t", columns: [] }, unstopped(), { isLong: true }),
    ).toMatchObject({ rows: 20_000 + writes });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[20_000 + writes]]);
  });
});

it("A backup is made of what is in memory, too", async () => {
  const database = open({ file: ":memory:", mode: "create", allowDdl: true });
  await database.write({ sql: "CREATE TABLE t AS SELECT 1 AS a" });
  await database.task("backup", { to: scratch.path("copy.db") }, unstopped(), { isLong: true });
  const copy = new Database(scratch.path("copy.db"));
  expect(copy.prepare("SELECT a FROM t").pluck().get()).toBe(1);
  copy.close();
});

it.each([
  ["wal", 0],
  ["delete", 1],
])("A backup in the journal mode %s keeps no writer waiting", async (mode, late) => {
  const file = scratch.create(
    "a.db",
    `PRAGMA journal_mode = ${mode}; CREATE TABLE t AS SELECT zeroblob(9000000) AS a`,
  );
  const options = { file, mode: "read", busyTimeoutMs: 0, allowDdl: false, memoryBytes: 2 ** 28 } as const;
  const pool = new ConnectionPool(options, { unfit: undefined, toLoadFault: () => undefined });
  const other = new Database(file, { timeout: 0 });
  let isWritten = false;
  const progress = (): void => {
    if (!isWritten) other.exec("INSERT INTO t VALUES ('late')");
    isWritten = true;
  };
  const context: Partial<TaskContext> = { pool, progress };
  await backupTask({ to: scratch.path("copy.db") }, context as TaskContext);
  pool.close();
  other.close();
  const copy = new Database(scratch.path("copy.db"));
  expect(copy.prepare("SELECT count(*) FROM t WHERE a = 'late'").pluck().get()).toBe(late);
  copy.close();
});

it("A backup of what stays locked fails, and is not an empty file", async () => {
  const file = scratch.create("a.db", "CREATE TABLE t (a)");
  const database = open({ file, busyTimeoutMs: 50 });
  const copy = (name: string): Promise<number> => {
    // As the tool makes it.
    writeFileSync(scratch.path(name), "");
    return database.task("backup", { to: scratch.path(name) }, unstopped(), { isLong: true });
  };
  // By now the database is open, and only the copying meets the lock.
  expect(await copy("before.db")).toBeGreaterThan(0);
  const other = new Database(file);
  other.exec("BEGIN EXCLUSIVE");
  await expect(copy("locked.db")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/locked/) as string,
  });
  other.exec("COMMIT");
  other.close();
  expect(await copy("after.db")).toBeGreaterThan(0);
});
