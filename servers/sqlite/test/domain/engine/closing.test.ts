import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useDatabases } from "../scratch.ts";

const { scratch, open } = useDatabases();

describe("dispose", () => {
  it("leaves one whole file of a database in WAL mode", async () => {
    const file = scratch.create("a.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
    const database = open({ file, mode: "write" });
    await database.write({ sql: "INSERT INTO t VALUES (1), (2), (3)" });
    // A snapshot that is still held must not be in the way.
    await database.read({ sql: "SELECT * FROM t", limit: 1 });
    expect(readdirSync(scratch.folder).toSorted()).toEqual(["a.db", "a.db-shm", "a.db-wal"]);
    await database.dispose();
    expect(readdirSync(scratch.folder)).toEqual(["a.db"]);
    const again = open({ file });
    expect(await again.rows("SELECT count(*) FROM t")).toEqual([[3]]);
  });

  it("can be called twice, and before anything was started", async () => {
    const database = open({ file: scratch.path("a.db") });
    await database.dispose();
    await database.dispose();
    await expect(database.read({ sql: "SELECT 1" })).rejects.toMatchObject({ code: "unavailable" });
    expect(database.children).toHaveLength(0);
  });

  it("does not wait for a process that is still starting", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a)") });
    database.warm();
    expect(database.children).toHaveLength(1);
    await database.dispose();
    expect(readdirSync(scratch.folder)).toEqual(["a.db"]);
  });
});
