import { once } from "node:events";
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { useOtherPrograms } from "../other-program.ts";
import { unstopped, useLocalDatabases } from "../scratch.ts";

const { scratch, open } = useLocalDatabases();
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
