import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { useChildProgram } from "../child-program.ts";
import { unstopped, useDatabases, useScratch } from "../scratch.ts";

const program = useChildProgram();
const scratch = useScratch();
const open = useDatabases(program);

const PEOPLE = `
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, age INTEGER CHECK (age >= 0));
  CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES people (id) ON DELETE CASCADE, name TEXT);
  INSERT INTO people VALUES (1, 'Ada', 36), (2, 'Bob', 41), (3, 'Cyd', NULL);
  INSERT INTO pets VALUES (1, 1, 'Rex'), (2, 1, 'Tom');
`;

describe("read", () => {
  it("returns columns with their declared types, and rows", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const page = await database.read(
      { sql: "SELECT *, age + 1 AS next FROM people WHERE id <= :id", params: { id: 2 } },
      unstopped(),
    );
    expect(page).toEqual({
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "name", type: "TEXT" },
        { name: "age", type: "INTEGER" },
        { name: "next", type: null },
      ],
      rows: [
        [1, "Ada", 36, 37],
        [2, "Bob", 41, 42],
      ],
      truncated: false,
    });
  });

  it("tells NULL, empty text and an empty result apart, and keeps columns of the same name", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const page = await database.read({ sql: "SELECT NULL AS x, '' AS x, x'' AS x, 0 AS x" }, unstopped());
    expect(page.rows).toEqual([[null, "", { $blob: "", bytes: 0 }, 0]]);
    expect(page.columns.map(({ name }) => name)).toEqual(["x", "x", "x", "x"]);
    const empty = await database.read({ sql: "SELECT name FROM people WHERE 0" }, unstopped());
    expect(empty).toEqual({ columns: [{ name: "name", type: "TEXT" }], rows: [], truncated: false });
  });

  it("cuts rows, cells and pages to their limits", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const rows = await database.read({ sql: "SELECT id FROM people", limit: 2 }, unstopped());
    expect(rows).toMatchObject({ rows: [[1], [2]], truncated: true });
    const cells = await database.read(
      { sql: "SELECT printf('%.*c', 5000, 'x'), zeroblob(9)", maxCellBytes: 4 },
      unstopped(),
    );
    expect(cells.rows).toEqual([
      [
        { $text: "xxxx", bytes: 5000, truncated: true },
        { $blob: "AAAAAA==", bytes: 9, truncated: true },
      ],
    ]);
    const bytes = await database.read(
      { sql: "SELECT printf('%.*c', 300, 'x') FROM people", maxBytes: 700 },
      unstopped(),
    );
    expect(bytes).toMatchObject({ truncated: true, rows: [{ length: 1 }, { length: 1 }] });
    const wide = await database.read(
      { sql: `SELECT ${Array<string>(200).fill("hex(zeroblob(50000))").join()}`, maxBytes: 100_000 },
      unstopped(),
    );
    expect(JSON.stringify(wide.rows).length).toBeLessThan(150_000);
  });

  it("says where text is not what is stored", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const page = await database.read(
      { sql: "SELECT CAST(x'61ff62' AS TEXT) AS a, 'fine' AS b" },
      unstopped(),
    );
    expect(page.columns).toEqual([
      { name: "a", type: null, inexact: true },
      { name: "b", type: null },
    ]);
  });

  it("explains, without running", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const plan = await database.read(
      { sql: "EXPLAIN QUERY PLAN SELECT * FROM people WHERE name = ?", params: ["Ada"] },
      unstopped(),
    );
    expect(JSON.stringify(plan.rows)).toContain("SEARCH people USING INDEX");
    const opcodes = await database.read({ sql: "EXPLAIN SELECT * FROM people" }, unstopped());
    expect(opcodes.columns.map(({ name }) => name)).toContain("opcode");
  });

  it("sees what others commit, and a schema that they change", async () => {
    const file = scratch.create("a.db", PEOPLE);
    const database = open({ file });
    const sql = "SELECT * FROM people WHERE id = 1";
    expect((await database.read({ sql }, unstopped())).columns).toHaveLength(3);
    const other = new Database(file);
    other.exec(
      "ALTER TABLE people ADD COLUMN email TEXT DEFAULT 'none'; UPDATE people SET name = 'Eva' WHERE id = 1",
    );
    other.close();
    expect((await database.read({ sql }, unstopped())).rows).toEqual([[1, "Eva", 36, "none"]]);
  });

  it("answers many at once, each with its own result, in order", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const order: number[] = [];
    const pages = await Promise.all(
      Array.from({ length: 300 }, async (_, at) => {
        const page = await database.read({ sql: "SELECT ?", params: [at] }, unstopped());
        order.push(at);
        return page.rows[0]?.[0];
      }),
    );
    expect(pages).toEqual(Array.from({ length: 300 }, (_, at) => at));
    expect(order).toEqual(pages);
  });
});

describe("write", () => {
  it("says what changed, by the statement and by what hangs on it", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const inserted = await database.write(
      { sql: "INSERT INTO people (name) VALUES (?), (?)", params: ["Dan", "Eli"] },
      unstopped(),
    );
    expect(inserted).toEqual({
      verb: "INSERT",
      changes: 2,
      furtherChanges: 0,
      lastInsertRowid: 5,
      dryRun: false,
    });
    const deleted = await database.write({ sql: "DELETE FROM people WHERE id = 1" }, unstopped());
    expect(deleted).toMatchObject({ changes: 1, furtherChanges: 2 });
    const nothing = await database.write({ sql: "UPDATE people SET age = 1 WHERE id = 99" }, unstopped());
    expect(nothing).toEqual({ verb: "UPDATE", changes: 0, furtherChanges: 0, dryRun: false });
  });

  it("keeps big row numbers exact", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const id = { $int: "9223372036854775807" };
    const result = await database.write(
      { sql: "INSERT INTO people VALUES (?, 'Max', 1)", params: [id] },
      unstopped(),
    );
    expect(result.lastInsertRowid).toEqual(id);
    expect(
      (await database.read({ sql: "SELECT id FROM people WHERE name = 'Max'" }, unstopped())).rows,
    ).toEqual([[id]]);
  });

  it("shows a sample of the rows, as they are after it or were before it", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const updated = await database.write(
      { sql: "UPDATE people SET age = id -- all\n;", sample: 2 },
      unstopped(),
    );
    expect(updated).toMatchObject({
      changes: 3,
      sample: {
        rows: [
          [1, "Ada", 1],
          [2, "Bob", 2],
        ],
        truncated: true,
      },
    });
    const deleted = await database.write({ sql: "DELETE FROM people WHERE id = 2", sample: 5 }, unstopped());
    expect(deleted).toMatchObject({ changes: 1, sample: { rows: [[2, "Bob", 2]], truncated: false } });
    const returning = await database.write(
      { sql: "INSERT INTO people (name) VALUES ('Zoe') RETURNING upper(name) AS n", sample: 5 },
      unstopped(),
    );
    expect(returning).toMatchObject({ changes: 1, sample: { columns: [{ name: "n" }], rows: [["ZOE"]] } });
  });

  it("does without a sample where SQLite has none", async () => {
    const database = open({
      file: scratch.create(
        "a.db",
        `${PEOPLE} CREATE VIRTUAL TABLE notes USING fts5(t); INSERT INTO notes VALUES ('a'), ('b');`,
      ),
      mode: "write",
    });
    const limited = await database.write(
      { sql: "DELETE FROM people ORDER BY id LIMIT 1", sample: 5 },
      unstopped(),
    );
    expect(limited).toEqual({ verb: "DELETE", changes: 1, furtherChanges: 2, dryRun: false });
    const virtual = await database.write({ sql: "DELETE FROM notes WHERE t = 'a'", sample: 5 }, unstopped());
    expect(virtual).toMatchObject({ verb: "DELETE", changes: 1 });
    expect((await database.read({ sql: "SELECT * FROM notes" }, unstopped())).rows).toEqual([["b"]]);
  });

  it("undoes a dry run", async () => {
    const file = scratch.create("a.db", PEOPLE);
    const before = readFileSync(file);
    const database = open({ file, mode: "write" });
    const result = await database.write({ sql: "DELETE FROM people", dryRun: true, sample: 1 }, unstopped());
    expect(result).toMatchObject({
      changes: 3,
      furtherChanges: 2,
      dryRun: true,
      sample: { rows: [[1, "Ada", 36]] },
    });
    expect((await database.read({ sql: "SELECT count(*) FROM people" }, unstopped())).rows).toEqual([[3]]);
    await database.dispose();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("undoes what changes more or fewer rows than expected", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const sql = "DELETE FROM people WHERE id < 3";
    await expect(database.write({ sql, expectedRows: 1 }, unstopped())).rejects.toMatchObject({
      code: "conflict",
      message: "It would change 2 rows, 1 were expected. Nothing was changed.",
      details: { expected: 1, changes: 2 },
    });
    expect((await database.read({ sql: "SELECT count(*) FROM people" }, unstopped())).rows).toEqual([[3]]);
    expect(await database.write({ sql, expectedRows: 2 }, unstopped())).toMatchObject({ changes: 2 });
  });

  it("holds foreign keys, however little of the result is looked at", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    for (const sample of [0, 1, 5]) {
      const broken = database.write(
        { sql: "INSERT INTO pets (owner) VALUES (1), (98), (99)", sample },
        unstopped(),
      );
      await expect(broken).rejects.toMatchObject({ code: "conflict", details: { constraint: "foreignkey" } });
    }
    expect((await database.read({ sql: "SELECT count(*) FROM pets" }, unstopped())).rows).toEqual([[2]]);
  });

  it("changes the schema where that is allowed", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write", allowDdl: true });
    expect(await database.write({ sql: "CREATE TABLE toys (name TEXT)" }, unstopped())).toMatchObject({
      verb: "CREATE",
      changes: 0,
    });
    expect(await database.write({ sql: "DROP TABLE toys", dryRun: true }, unstopped())).toMatchObject({
      verb: "DROP",
    });
    expect((await database.read({ sql: "SELECT * FROM toys" }, unstopped())).rows).toEqual([]);
  });
});

describe("batch", () => {
  it("does all, and later statements see earlier ones", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write", allowDdl: true });
    const result = await database.batch(
      {
        statements: [
          { sql: "CREATE TABLE toys (name TEXT)" },
          { sql: "INSERT INTO toys VALUES (?)", params: ["ball"] },
          { sql: "INSERT INTO toys VALUES (:name)", params: { name: "kite" } },
          { sql: "ALTER TABLE toys ADD COLUMN price REAL" },
          { sql: "UPDATE toys SET price = 2" },
        ],
      },
      unstopped(),
    );
    expect(result.results.map(({ verb, changes }) => [verb, changes])).toEqual([
      ["CREATE", 0],
      ["INSERT", 1],
      ["INSERT", 1],
      ["ALTER", 0],
      ["UPDATE", 2],
    ]);
    expect(result.changes).toBe(4);
  });

  it("does nothing if one fails, and says which", async () => {
    const file = scratch.create("a.db", PEOPLE);
    const before = readFileSync(file);
    const database = open({ file, mode: "write" });
    const statements = [
      { sql: "DELETE FROM pets" },
      { sql: "INSERT INTO people (name) VALUES ('Ada')" },
      { sql: "DELETE FROM people" },
    ];
    await expect(database.batch({ statements }, unstopped())).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(
        /^Statement 2 of 3 failed, so nothing was changed. A row with the same people.name exists/,
      ) as string,
      details: { statement: 2, constraint: "unique", columns: ["people.name"] },
    });
    await database.dispose();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("checks every statement before the first one runs", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const statements = [{ sql: "DELETE FROM pets" }, { sql: "PRAGMA foreign_keys = OFF" }];
    await expect(database.batch({ statements }, unstopped())).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringMatching(
        /^Statement 2 of 2 failed, so nothing was changed. PRAGMA is refused/,
      ) as string,
    });
  });

  it("undoes a dry run, and what changes an unexpected number of rows", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const statements = [{ sql: "DELETE FROM pets" }, { sql: "DELETE FROM people" }];
    expect(await database.batch({ statements, dryRun: true }, unstopped())).toMatchObject({
      changes: 5,
      dryRun: true,
    });
    await expect(database.batch({ statements, expectedRows: 4 }, unstopped())).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await database.read({ sql: "SELECT count(*) FROM pets" }, unstopped())).rows).toEqual([[2]]);
  });

  it("reports a constraint that only the end of the transaction finds", async () => {
    const database = open({
      file: scratch.create(
        "a.db",
        `${PEOPLE} CREATE TABLE late (p INTEGER REFERENCES people (id) DEFERRABLE INITIALLY DEFERRED);`,
      ),
      mode: "write",
    });
    const broken = database.batch({ statements: [{ sql: "INSERT INTO late VALUES (99)" }] }, unstopped());
    await expect(broken).rejects.toMatchObject({ code: "conflict", details: { constraint: "foreignkey" } });
    expect((await database.read({ sql: "SELECT count(*) FROM late" }, unstopped())).rows).toEqual([[0]]);
  });
});

describe("opening", () => {
  it("is for reading unless it is said otherwise", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    await expect(database.write({ sql: "DELETE FROM people" }, unstopped())).rejects.toMatchObject({
      code: "permission_denied",
      message: "The database is open for reading only.",
    });
  });

  it("creates a file only when told to", async () => {
    const missing = open({ file: scratch.path("none.db"), mode: "write" });
    await expect(missing.read({ sql: "SELECT 1" }, unstopped())).rejects.toMatchObject({
      code: "not_found",
      message: "The database file none.db does not exist.",
    });
    expect(scratch.snapshot()).toEqual({});
    const created = open({ file: scratch.path("none.db"), mode: "create", allowDdl: true });
    expect((await created.read({ sql: "SELECT count(*) FROM sqlite_schema" }, unstopped())).rows).toEqual([
      [0],
    ]);
    await created.write({ sql: "CREATE TABLE t (a)" }, unstopped());
    expect((await missing.read({ sql: "SELECT count(*) FROM sqlite_schema" }, unstopped())).rows).toEqual([
      [1],
    ]);
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
    await expect(database.read({ sql: "SELECT * FROM sqlite_schema" }, unstopped())).rejects.toMatchObject({
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
    await expect(database.read({ sql: "SELECT sum(length(x)) FROM big" }, unstopped())).rejects.toMatchObject(
      damaged,
    );
    await expect(database.write({ sql: "UPDATE big SET x = 1" }, unstopped())).rejects.toMatchObject(damaged);
    expect((await database.read({ sql: "SELECT name FROM people WHERE id = 1" }, unstopped())).rows).toEqual([
      ["Ada"],
    ]);
    expect(scratch.snapshot()).toEqual(before);
  });

  it("goes on with the file that has the name now", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    expect((await database.read({ sql: "SELECT count(*) FROM people" }, unstopped())).rows).toEqual([[3]]);
    renameSync(
      scratch.create("b.db", "CREATE TABLE people (id); INSERT INTO people VALUES (7)"),
      scratch.path("a.db"),
    );
    expect((await database.read({ sql: "SELECT * FROM people" }, unstopped())).rows).toEqual([[7]]);
    rmSync(scratch.path("a.db"));
    await expect(database.read({ sql: "SELECT * FROM people" }, unstopped())).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("opens exactly the file that is named", async () => {
    const odd = "a b?mode=memory#c%20'd'.db";
    const database = open({ file: scratch.create(odd, PEOPLE) });
    expect((await database.read({ sql: "SELECT count(*) FROM people" }, unstopped())).rows).toEqual([[3]]);
    scratch.create("t.db", PEOPLE);
    const trailing = open({ file: scratch.path("t.db ") });
    await expect(trailing.read({ sql: "SELECT 1" }, unstopped())).rejects.toMatchObject({
      code: "unsupported",
    });
    expect(Object.keys(scratch.snapshot()).toSorted()).toEqual([odd, "t.db"].toSorted());
  });

  it("reads a database in WAL mode that another process writes", async () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = WAL; ${PEOPLE}`);
    const other = new Database(file);
    other.exec("INSERT INTO people (name) VALUES ('Dan')");
    const database = open({ file });
    expect((await database.read({ sql: "SELECT count(*) FROM people" }, unstopped())).rows).toEqual([[4]]);
    other.close();
  });

  it("keeps a database in memory for as long as its process lives", async () => {
    const database = open({ file: ":memory:", mode: "write", allowDdl: true });
    await database.batch(
      { statements: [{ sql: "CREATE TABLE t (a)" }, { sql: "INSERT INTO t VALUES (1)" }] },
      unstopped(),
    );
    expect((await database.read({ sql: "SELECT * FROM t" }, unstopped())).rows).toEqual([[1]]);
    await expect(database.read({ sql: "INSERT INTO t VALUES (2)" }, unstopped())).rejects.toMatchObject({
      code: "permission_denied",
    });
    expect(
      await database.write({ sql: "INSERT INTO t VALUES (2)", dryRun: true }, unstopped()),
    ).toMatchObject({ changes: 1 });
    expect((await database.read({ sql: "SELECT count(*) FROM t" }, unstopped())).rows).toEqual([[1]]);
  });

  it("takes files that may only be read for what they are", async () => {
    const file = scratch.create("a.db", PEOPLE);
    chmodSync(file, 0o444);
    const database = open({ file });
    expect((await database.read({ sql: "SELECT count(*) FROM people" }, unstopped())).rows).toEqual([[3]]);
  });
});
