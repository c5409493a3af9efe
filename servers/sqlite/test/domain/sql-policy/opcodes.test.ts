import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import type { StatementKind } from "../../../src/domain/sql-policy/admit.ts";
import { checkProgram, type Instruction, type ProgramFacts } from "../../../src/domain/sql-policy/opcodes.ts";
import { changingRows, changingSchema, reading, schema } from "../corpus.ts";

const database = new Database(":memory:");
database.exec(schema);
afterAll(() => database.close());

function check(sql: string, kind: StatementKind): ProgramFacts {
  const program = database.prepare<unknown[], Instruction>(`EXPLAIN ${sql}`).raw(true);
  return checkProgram(program.all(...Array<number>(sql.split("?").length - 1).fill(1)), kind);
}

describe("checkProgram", () => {
  it.each(reading)("lets a query read: %s", (sql) => {
    expect(() => check(sql, "read")).not.toThrow();
  });

  it.each(changingRows)("lets rows be changed, but not by a query: %s", (sql) => {
    expect(() => check(sql, "rows")).not.toThrow();
    expect(() => check(sql, "read")).toThrow("The statement is refused");
  });

  it.each(changingSchema)("lets the schema be changed, but not by a query: %s", (sql) => {
    expect(() => check(sql, "schema")).not.toThrow();
    expect(() => check(sql, "read")).toThrow("The statement is refused");
  });

  // REINDEX only empties indexes and fills them again.
  it.each(changingSchema.filter((sql) => !sql.startsWith("reindex")))("keeps it from others: %s", (sql) => {
    expect(() => check(sql, "rows")).toThrow("The statement is refused");
  });

  it.each<[string, StatementKind]>([
    ["VACUUM", "schema"],
    ["VACUUM INTO 'x'", "schema"],
    ["BEGIN", "schema"],
    ["SAVEPOINT a", "schema"],
    ["PRAGMA journal_mode = wal", "schema"],
    ["PRAGMA wal_checkpoint", "schema"],
    ["PRAGMA incremental_vacuum", "schema"],
    ["PRAGMA user_version = 3", "rows"],
    ["PRAGMA max_page_count = 1", "schema"],
    ["ATTACH 'x' AS y", "rows"],
    ["SELECT * FROM temp.sqlite_master", "read"],
    ["CREATE TEMP TABLE x (a)", "schema"],
    ["SELECT load_extension('x')", "read"],
    ["SELECT LOAD_EXTENSION('x', 'y')", "read"],
    ["SELECT \"load_extension\"('x') FROM p", "read"],
    ["SELECT 1 WHERE fts3_tokenizer('simple') IS NULL", "read"],
    ["INSERT INTO log SELECT load_extension('x')", "rows"],
  ])("refuses %s as %s", (sql, kind) => {
    expect(() => check(sql, kind)).toThrow("The statement is refused");
  });

  it("sees into triggers", () => {
    database.exec(
      "CREATE TABLE bait (a); CREATE TRIGGER hook AFTER INSERT ON bait BEGIN SELECT sqlite_log(1, 'x'); END",
    );
    expect(() => check("INSERT INTO bait VALUES (1)", "rows")).toThrow("it calls sqlite_log()");
  });

  it("keeps guarded tables from being written", () => {
    const page = database
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'log'")
      .pluck()
      .get() as number;
    for (const sql of ["DELETE FROM log", "DELETE FROM log WHERE m = 1", "INSERT INTO log VALUES (1)"]) {
      const program = database.prepare<unknown[], Instruction>(`EXPLAIN ${sql}`).raw(true).all();
      expect(() => checkProgram(program, "rows", new Set([page]))).toThrow("belongs to SQLite");
      expect(() => checkProgram(program, "rows", new Set())).not.toThrow();
    }
  });

  it.each([
    ["SELECT random()", true],
    ["SELECT * FROM c WHERE t > datetime('now')", true],
    ["SELECT current_timestamp", true],
    ["SELECT * FROM c ORDER BY random()", true],
    ["SELECT upper(t), x FROM c", false],
  ])("knows whether %s depends on more than the data", (sql, volatile) => {
    expect(check(sql, "read")).toMatchObject({ volatile });
  });
});
