import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { useDatabases } from "../scratch.ts";
import { PEOPLE } from "./people.ts";

const { scratch, open } = useDatabases();

describe("opening", () => {
  it("is for reading unless it is said otherwise", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    await expect(database.write({ sql: "DELETE FROM people" })).rejects.toMatchObject({
      code: "permission_denied",
      message: "The database is open for reading only.",
    });
  });

  it("creates a file only when told to", async () => {
    const missing = open({ file: scratch.path("none.db"), mode: "write" });
    await expect(missing.read({ sql: "SELECT 1" })).rejects.toMatchObject({
      code: "not_found",
      message: "The database file none.db does not exist.",
    });
    expect(scratch.snapshot()).toEqual({});
    const created = open({ file: scratch.path("none.db"), mode: "create", allowDdl: true });
    expect(await created.rows("SELECT count(*) FROM sqlite_schema")).toEqual([[0]]);
    await created.write({ sql: "CREATE TABLE t (a)" });
    expect(await missing.rows("SELECT count(*) FROM sqlite_schema")).toEqual([[1]]);
  });

  it.each([
    [
      "a directory",
      "invalid_input",
      "x.db is a directory, not a database.",
      (path: string) => mkdirSync(path),
    ],
    [
      "text",
      "unsupported",
      "The file is not an SQLite database",
      (path: string) => writeFileSync(path, "hello ".repeat(500)),
    ],
    ["in a missing folder", "not_found", "The database file x.db does not exist.", () => {}],
  ])("explains what it cannot open: %s", async (_, code, message, make) => {
    const file = code === "not_found" ? scratch.path("no/x.db") : scratch.path("x.db");
    make(file);
    const database = open({ file, mode: "write" });
    await expect(database.read({ sql: "SELECT * FROM sqlite_schema" })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it("reads a damaged file as far as it goes, writes nothing to it, and says so", async () => {
    const file = scratch.create(
      "a.db",
      `${PEOPLE} CREATE TABLE big (x); INSERT INTO big SELECT zeroblob(3000) FROM people, people, people, people;`,
    );
    const bytes = readFileSync(file);
    bytes.fill(0xaa, 4096 * 5, 4096 * 20);
    writeFileSync(file, bytes);
    const before = scratch.snapshot();
    const database = open({ file, mode: "write" });
    const damaged = {
      code: "unavailable",
      retryable: false,
      message: expect.stringContaining("The database file is damaged. Nothing was written") as string,
    };
    await expect(database.read({ sql: "SELECT sum(length(x)) FROM big" })).rejects.toMatchObject(damaged);
    await expect(database.write({ sql: "UPDATE big SET x = 1" })).rejects.toMatchObject(damaged);
    expect(await database.rows("SELECT name FROM people WHERE id = 1")).toEqual([["Ada"]]);
    expect(scratch.snapshot()).toEqual(before);
  });

  it("goes on with the file that has the name now", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    expect(await database.rows("SELECT count(*) FROM people")).toEqual([[3]]);
    renameSync(
      scratch.create("b.db", "CREATE TABLE people (id); INSERT INTO people VALUES (7)"),
      scratch.path("a.db"),
    );
    expect(await database.rows("SELECT * FROM people")).toEqual([[7]]);
    rmSync(scratch.path("a.db"));
    await expect(database.read({ sql: "SELECT * FROM people" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("opens exactly the file that is named", async () => {
    const odd = "a b?mode=memory#c%20'd'.db";
    const database = open({ file: scratch.create(odd, PEOPLE) });
    expect(await database.rows("SELECT count(*) FROM people")).toEqual([[3]]);
    scratch.create("t.db", PEOPLE);
    const trailing = open({ file: scratch.path("t.db ") });
    await expect(trailing.read({ sql: "SELECT 1" })).rejects.toMatchObject({ code: "unsupported" });
    expect(Object.keys(scratch.snapshot()).toSorted()).toEqual([odd, "t.db"].toSorted());
  });

  it("reads a database in WAL mode that another process writes", async () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = WAL; ${PEOPLE}`);
    const other = new Database(file);
    other.exec("INSERT INTO people (name) VALUES ('Dan')");
    const database = open({ file });
    expect(await database.rows("SELECT count(*) FROM people")).toEqual([[4]]);
    other.close();
  });

  it("keeps a database in memory for as long as its process lives", async () => {
    const database = open({ file: ":memory:", mode: "write", allowDdl: true });
    await database.write({ sql: "CREATE TABLE t (a)" });
    await database.write({ sql: "INSERT INTO t VALUES (1)" });
    expect(await database.rows("SELECT * FROM t")).toEqual([[1]]);
    await expect(database.read({ sql: "INSERT INTO t VALUES (2)" })).rejects.toMatchObject({
      code: "permission_denied",
    });
    expect(await database.write({ sql: "INSERT INTO t VALUES (2)", dryRun: true })).toMatchObject({
      changes: 1,
    });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[1]]);
  });

  it("takes files that may only be read for what they are", async () => {
    const file = scratch.create("a.db", PEOPLE);
    chmodSync(file, 0o444);
    const database = open({ file });
    expect(await database.rows("SELECT count(*) FROM people")).toEqual([[3]]);
  });
});
