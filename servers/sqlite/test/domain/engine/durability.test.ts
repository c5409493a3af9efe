import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { useOtherPrograms } from "../other-program.ts";
import { unstopped, useDatabases } from "../scratch.ts";

const { scratch, open } = useDatabases();
const startOther = useOtherPrograms();

const COUNTER = "CREATE TABLE t (id INTEGER PRIMARY KEY, filler TEXT);";

describe("a write that another program left unfinished", () => {
  async function interrupt(): Promise<string> {
    const file = scratch.create("a.db", `${COUNTER} INSERT INTO t VALUES (1, 'kept')`);
    const other = await startOther(
      file,
      `database.exec("PRAGMA cache_size = 1; BEGIN; UPDATE t SET filler = 'lost'");
       database.exec("WITH RECURSIVE n (x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n LIMIT 500) INSERT INTO t SELECT x, hex(zeroblob(2000)) FROM n");
       ready(); sleep(60000);`,
    );
    other.kill("SIGKILL");
    await once(other, "exit");
    expect(existsSync(`${file}-journal`)).toBe(true);
    return file;
  }

  it("is undone by whoever may write, before the first answer", async () => {
    const database = open({ file: await interrupt(), mode: "write" });
    expect(await database.rows("SELECT * FROM t")).toEqual([[1, "kept"]]);
  });

  it("is undone before a backup, too", async () => {
    const database = open({ file: await interrupt(), mode: "write" });
    await database.task("backup", { to: scratch.path("copy.db") }, unstopped(), { isLong: true });
    const copy = new Database(scratch.path("copy.db"));
    expect(copy.prepare("SELECT * FROM t").raw().all()).toEqual([[1, "kept"]]);
    copy.close();
  });

  it("is reported by whoever may not, who changes nothing", async () => {
    const file = await interrupt();
    const before = scratch.snapshot();
    const database = open({ file });
    await expect(database.read({ sql: "SELECT * FROM t" })).rejects.toMatchObject({
      code: "unavailable",
      retryable: false,
      hint: "Nothing is lost. Open the database once with writing allowed.",
    });
    await database.dispose();
    expect(scratch.snapshot()).toEqual(before);
  });
});

const MAGIC = Buffer.from("d9d505f920a163d7", "hex");

/** What SQLite would undo, and then delete the file that it names; if it is not hot, with the next write that is undone. */
function forgeJournal(database: string, named: string, isHot = true): void {
  const name = Buffer.from(named);
  const toBytes = (...numbers: readonly number[]): Buffer =>
    Buffer.concat(
      numbers.map((number) => {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32BE(number);
        return bytes;
      }),
    );
  const header = Buffer.alloc(isHot ? 512 : 100_000);
  if (isHot) Buffer.concat([MAGIC, toBytes(0, 1, statSync(database).size / 4096, 512, 4096)]).copy(header);
  const checksum = name.reduce((sum, byte) => sum + byte, 0);
  const tail = [toBytes(0x40000000 / 4096 + 1), name, toBytes(name.length, checksum), MAGIC];
  writeFileSync(`${database}-journal`, Buffer.concat([header, ...tail]));
}

describe("a journal that names a file to delete", () => {
  const refused = {
    code: "unavailable",
    retryable: false,
    message: expect.stringContaining('would delete a file that "a.db-journal" names') as string,
  };

  it.each([
    ["write", "delete"],
    ["create", "wal"],
    ["read", "delete"],
  ] as const)("is refused by whoever opens to %s, journal mode %s", async (mode, journal) => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = ${journal}; ${COUNTER}`);
    writeFileSync(scratch.path("precious.txt"), "precious");
    forgeJournal(file, scratch.path("precious.txt"));
    const database = open({ file, mode, busyTimeoutMs: 50 });
    await expect(database.read({ sql: "SELECT * FROM t" })).rejects.toMatchObject(refused);
    expect(existsSync(scratch.path("precious.txt"))).toBe(true);
  });

  it.each([true, false])("is refused by a connection that has written already, hot: %s", async (isHot) => {
    const file = scratch.create("a.db", COUNTER);
    const database = open({ file, mode: "write", busyTimeoutMs: 50 });
    await database.write({ sql: "DELETE FROM t" });
    writeFileSync(scratch.path("precious.txt"), "precious");
    forgeJournal(file, scratch.path("precious.txt"), isHot);
    const failing = { sql: "INSERT INTO t VALUES (1, 'a'), (1, 'b')" };
    await expect(database.write(failing)).rejects.toMatchObject(refused);
    expect(existsSync(scratch.path("precious.txt"))).toBe(true);
  });
});

it("a journal that another program has in use is waited for like a lock", async () => {
  const file = scratch.create("a.db", COUNTER);
  const database = open({ file, mode: "write", busyTimeoutMs: 60_000 });
  await startOther(
    file,
    `database.exec("BEGIN IMMEDIATE; INSERT INTO t (filler) VALUES (0)");
     require("node:fs").appendFileSync(${JSON.stringify(`${file}-journal`)}, Buffer.from("d9d505f920a163d7", "hex"));
     ready(); sleep(200); database.exec("ROLLBACK");`,
  );
  const add = { sql: "INSERT INTO t (filler) VALUES (1)" };
  expect(await database.write(add)).toMatchObject({ changes: 1 });
});
