import { describe, expect, it } from "vitest";
import { columnClausesOf, indexClausesOf } from "../../../src/domain/worker/definition.ts";

describe("the columns of a table's SQL", () => {
  const NOTHING = { collation: undefined, expression: undefined };

  it("have their own clauses, not those within parentheses or of the table", () => {
    const sql = `CREATE TABLE "t (" ( -- a, b
      a TEXT DEFAULT ('x' COLLATE rtrim), b VARCHAR(10, 2) collate "nocase" CHECK (b COLLATE RTRIM > ','),
      [as] INT, "COLLATE" , g GENERATED ALWAYS AS (max(a, b) /* , */ || ')') STORED,
      CONSTRAINT c UNIQUE (a COLLATE NOCASE) CHECK (a > 0))`;
    expect(columnClausesOf(sql).slice(0, 5)).toEqual([
      NOTHING,
      { ...NOTHING, collation: "NOCASE" },
      NOTHING,
      NOTHING,
      { ...NOTHING, expression: "(max(a, b) /* , */ || ')')" },
    ]);
  });
});

describe("the SQL of an index", () => {
  it("has keys and a condition", () => {
    expect(indexClausesOf('CREATE INDEX "i (" ON t (a, max(a, b) DESC) WHERE (a) > 0 AND b -- c\n')).toEqual({
      keys: ["a", "max(a, b) DESC"],
      where: "(a) > 0 AND b",
    });
    expect(indexClausesOf("CREATE INDEX i ON t(a)")).toEqual({ keys: ["a"], where: undefined });
  });
});
