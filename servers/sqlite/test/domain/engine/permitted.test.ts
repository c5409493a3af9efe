import { describe, expect, it } from "vitest";
import { reading, schema } from "../corpus.ts";
import { useDatabases } from "../scratch.ts";

const { scratch, open } = useDatabases();

// What is refused, and stays undone, is tried on the program itself: e2e/sqlite-safety.
describe("the SQL policy", () => {
  it("lets every kind of query through", async () => {
    const database = open({ file: scratch.create("a.db", schema) });
    for (const sql of reading) {
      const params = sql.includes("?") ? [1] : [];
      expect(await database.read({ sql, params }), sql).toHaveProperty("columns");
    }
  });

  it("lets AUTOINCREMENT, triggers and virtual tables do their work", async () => {
    const database = open({ file: scratch.create("a.db", schema), mode: "write", allowDdl: true });
    for (const sql of [
      "INSERT INTO p (name) VALUES ('new')",
      "INSERT INTO c (pid, t) VALUES (1, 'fires')",
      "INSERT INTO ft VALUES ('full', 'text')",
      "INSERT INTO vw (name) VALUES ('through a view')",
      "CREATE VIRTUAL TABLE more USING fts5(x)",
      "INSERT INTO more VALUES ('y')",
      "ANALYZE",
    ])
      await database.write({ sql });
    expect(await database.rows("SELECT count(*) FROM log")).toEqual([[4]]);
  });
});
