import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../scratch.ts";
import { PEOPLE } from "./people.ts";

const { scratch, open } = useLocalDatabases();

describe("write", () => {
  it("keeps big row numbers exact", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const id = { $int: "9223372036854775807" };
    const result = await database.write({ sql: "INSERT INTO people VALUES (?, 'Max', 1)", params: [id] });
    expect(result.lastInsertRowid).toEqual(id);
    expect(await database.rows("SELECT id FROM people WHERE name = 'Max'")).toEqual([[id]]);
  });

  it("gives no rowid of another statement", async () => {
    const file = scratch.create(
      "a.db",
      `${PEOPLE} CREATE TABLE codes (c PRIMARY KEY) WITHOUT ROWID; CREATE VIRTUAL TABLE notes USING fts5(t);
      CREATE TABLE log (x); CREATE TRIGGER logged AFTER INSERT ON codes BEGIN INSERT INTO log VALUES (1); END;
      CREATE VIEW shown AS SELECT name FROM people; INSERT INTO notes VALUES ('x');
      CREATE TRIGGER hidden INSTEAD OF INSERT ON shown BEGIN INSERT INTO people (name) VALUES (new.name); END;`,
    );
    const database = open({ file, mode: "write" });
    for (const [sql, rowid] of [
      ["INSERT INTO people (name) VALUES ('Dan')", 4],
      ["INSERT INTO people (name) VALUES ('Dan') RETURNING name", 4],
      ["INSERT INTO people (name) VALUES ('Ada'), ('Dan') ON CONFLICT DO NOTHING", 4],
      ["INSERT INTO people (name) SELECT 'Dan' WHERE 0", undefined],
      ["INSERT OR IGNORE INTO people (name) VALUES ('Ada')", undefined],
      ["REPLACE INTO people (name) VALUES ('Ada')", 4],
      ["INSERT INTO people (name) VALUES ('Ada') ON CONFLICT DO UPDATE SET age = 1", undefined],
      ["INSERT INTO codes VALUES ('a')", undefined],
      ["INSERT INTO shown VALUES ('Dan')", undefined],
      ["INSERT INTO notes VALUES ('y')", 2],
      ["UPDATE notes SET t = 'y'", undefined],
    ] as const) {
      await database.write({ sql: "INSERT INTO pets (id) VALUES (77)", dryRun: true });
      const { lastInsertRowid } = await database.write({ sql, dryRun: true });
      expect.soft(lastInsertRowid, sql).toBe(rowid);
    }
  });

  it("shows a sample of the rows, as they are after it or were before it", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const updated = await database.write({ sql: "UPDATE people SET age = id -- all\n;", sample: 2 });
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
    const deleted = await database.write({ sql: "DELETE FROM people WHERE id = 2", sample: 5 });
    expect(deleted).toMatchObject({ changes: 1, sample: { rows: [[2, "Bob", 2]], truncated: false } });
    const returning = await database.write({
      sql: "INSERT INTO people (name) VALUES ('Zoe') RETURNING upper(name) AS n",
      sample: 5,
    });
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
    const virtual = await database.write({ sql: "DELETE FROM notes WHERE t = 'a'", sample: 5 });
    expect(virtual).toMatchObject({ verb: "DELETE", changes: 1 });
    expect(await database.rows("SELECT * FROM notes")).toEqual([["b"]]);
  });

  it.each([
    ["UPDATE people SET age = age + ? ORDER BY age DESC LIMIT ?", [1, 1], [2, 41, 42]],
    [
      "DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY id LIMIT 2) LIMIT 1",
      [],
      [1, "Ada", 36],
    ],
    ["INSERT INTO people (name) SELECT 'Zoe' FROM people ORDER BY id LIMIT 1", [], [4, "Zoe", null]],
  ])("samples what has a limit, too: %s", async (sql, params, row) => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const tried = await database.write({ sql, params, sample: 5, dryRun: true });
    expect(tried).toMatchObject({ changes: 1, sample: { rows: [row] } });
  });

  it("holds foreign keys, however little of the result is looked at", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    for (const sample of [0, 1, 5]) {
      const broken = database.write({ sql: "INSERT INTO pets (owner) VALUES (1), (98), (99)", sample });
      await expect(broken).rejects.toMatchObject({ code: "conflict", details: { constraint: "foreignkey" } });
    }
    expect(await database.rows("SELECT count(*) FROM pets")).toEqual([[2]]);
  });

  it("does not drop a table whose rows would take those of others with them", async () => {
    const file = scratch.create(
      "a.db",
      `CREATE TABLE "a b" (id INTEGER PRIMARY KEY, up REFERENCES "a b" ON DELETE CASCADE);
      CREATE TABLE line (id INTEGER PRIMARY KEY, a REFERENCES "A B" ON DELETE CASCADE);
      CREATE TABLE part (line REFERENCES line ON DELETE SET NULL);
      INSERT INTO "a b" VALUES (1, NULL), (2, NULL); INSERT INTO line VALUES (1, 1), (2, 1);
      INSERT INTO part VALUES (1), (2), (NULL);`,
    );
    const database = open({ file, mode: "write", allowDdl: true });
    for (const dryRun of [true, false]) {
      await expect(
        database.write({ sql: 'DROP TABLE IF EXISTS main."a b"; --', dryRun }),
      ).rejects.toMatchObject({
        code: "conflict",
        message:
          "It would also delete or change rows of other tables by foreign keys (those of line point to it). Nothing was changed.",
        details: { tables: ["line"] },
      });
    }
    expect((await database.read({ sql: "SELECT * FROM line" })).rows).toHaveLength(2);
    await database.write({ sql: "DELETE FROM line" });
    expect(await database.write({ sql: 'DROP TABLE "a b"', dryRun: true })).toMatchObject({ verb: "DROP" });
    // Rows that point to others of the same table are no reason to keep it, nor are those that point nowhere.
    await database.write({ sql: 'UPDATE "a b" SET up = 1 WHERE id = 2' });
    await database.write({ sql: "INSERT INTO line VALUES (3, NULL)" });
    expect(await database.write({ sql: 'DROP TABLE "a b"' })).toMatchObject({ verb: "DROP" });
  });
});

describe("batch", () => {
  it("checks every statement before the first one runs", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const statements = [{ sql: "DELETE FROM pets" }, { sql: "PRAGMA foreign_keys = OFF" }];
    await expect(database.batch({ statements })).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringMatching(
        /^Statement 2 of 2 failed, so nothing was changed. PRAGMA is refused/,
      ) as string,
    });
  });

  it("says that a sample is not all, also where only its last statement has more rows", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE), mode: "write" });
    const statements = [1, 2].map((age) => ({ sql: `UPDATE people SET age = ${age} RETURNING age` }));
    const { results } = await database.batch({ statements, sample: 5 });
    const rows = [[1], [1], [1], [2], [2]];
    expect(results).toMatchObject([{ statements: 2, sample: { rows, truncated: true } }]);
  });

  it("reports a constraint that only the end of the transaction finds", async () => {
    const database = open({
      file: scratch.create(
        "a.db",
        `${PEOPLE} CREATE TABLE late (p INTEGER REFERENCES people (id) DEFERRABLE INITIALLY DEFERRED);`,
      ),
      mode: "write",
    });
    const broken = database.batch({ statements: [{ sql: "INSERT INTO late VALUES (99)" }] });
    await expect(broken).rejects.toMatchObject({ code: "conflict", details: { constraint: "foreignkey" } });
    expect(await database.rows("SELECT count(*) FROM late")).toEqual([[0]]);
  });
});
