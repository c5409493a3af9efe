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
    const statements = [
      { sql: "INSERT INTO p (name) VALUES ('new')" },
      { sql: "INSERT INTO c (pid, t) VALUES (1, 'fires')" },
      { sql: "INSERT INTO ft VALUES ('full', 'text')" },
      { sql: "INSERT INTO vw (name) VALUES ('through a view')" },
      { sql: "CREATE VIRTUAL TABLE more USING fts5(x)" },
      { sql: "INSERT INTO more VALUES ('y')" },
      { sql: "ANALYZE" },
    ];
    expect((await database.batch({ statements })).results).toHaveLength(7);
    expect(await database.rows("SELECT count(*) FROM log")).toEqual([[4]]);
  });
});
