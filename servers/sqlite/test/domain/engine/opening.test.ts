import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../scratch.ts";
import { PEOPLE } from "./people.ts";

const { scratch, open } = useLocalDatabases();

describe("opening", () => {
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

  needs(it, "any character in names")("opens exactly the file that is named", async () => {
    const odd = "a b?mode=memory#c%20'd'.db";
    const database = open({ file: scratch.create(odd, PEOPLE) });
    expect(await database.rows("SELECT count(*) FROM people")).toEqual([[3]]);
    scratch.create("t.db", PEOPLE);
    const trailing = open({ file: scratch.path("t.db ") });
    await expect(trailing.read({ sql: "SELECT 1" })).rejects.toMatchObject({ code: "unsupported" });
    expect(Object.keys(scratch.snapshot()).toSorted()).toEqual([odd, "t.db"].toSorted());
  });

  it("takes files that may only be read for what they are", async () => {
    const file = scratch.create("a.db", PEOPLE);
    chmodSync(file, 0o444);
    const database = open({ file });
    expect(await database.rows("SELECT count(*) FROM people")).toEqual([[3]]);
  });
});
