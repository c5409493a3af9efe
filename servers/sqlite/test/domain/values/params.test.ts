import Database from "better-sqlite3";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slotsOf } from "../../../src/domain/sql-policy/slots.ts";
import { tokenize } from "../../../src/domain/sql-policy/tokens.ts";
import { type SqlValue, toCell } from "../../../src/domain/values/cell.ts";
import { type Param, type SqlParams, toBinding, toSqlValue } from "../../../src/domain/values/params.ts";

const database = new Database(":memory:");

/** What SQLite itself makes of it. */
function select(sql: string, params?: SqlParams): unknown {
  const statement = database.prepare(`SELECT ${sql}`).raw(true).safeIntegers(true);
  return statement.get(...toBinding(slotsOf(tokenize(sql)), params));
}

describe("toBinding", () => {
  it.each<[string, SqlParams, unknown[]]>([
    ["?, ?", [1, 2], [1n, 2n]],
    ["?2, ?1", ["a", "b"], ["b", "a"]],
    ["?, ?1, ?", ["a", "b"], ["a", "a", "b"]],
    ["?3", [1, 2, 3], [3n]],
    [":a, @b, $c", { a: 1, b: 2, c: 3 }, [1n, 2n, 3n]],
    [":a, :b, :a", { ":a": 1, b: 2 }, [1n, 2n, 1n]],
    [":a, :b", ["x", "y"], ["x", "y"]],
    [":a, ?, :a, ?", ["x", "y", "z"], ["x", "y", "x", "z"]],
    ["?1", { 1: "x" }, ["x"]],
    ['\':a\', "?".b FROM (SELECT 1 AS b) AS "?"', [], [":a", 1n]],
  ])("binds %s", (sql, params, row) => {
    expect(select(sql, params)).toEqual(row);
  });

  it.each<[string, SqlParams | undefined, string]>([
    ["?", undefined, "The statement takes 1 parameter, 0 were given."],
    ["?", [1, 2], "The statement takes 1 parameter, 2 were given."],
    [":a, @a, $b", [1, 2, 3], "The parameters :a and @a have the same name."],
    ["1", [1], "The statement takes 0 parameters, 1 was given."],
    [":a", {}, "Parameter :a was not given."],
    [":amount", { amuont: 1 }, "The statement has no parameter amuont (did you mean amount?)."],
    [":a", { a: 1, zebra: 2 }, "The statement has no parameter zebra."],
    ["?, :a", { a: 1 }, "The statement has parameters without a name."],
    ["?0", [], "Parameter ?0 is out of range."],
    ["?99999", [], "Parameter ?99999 is out of range."],
  ])("refuses %s with %j", (sql, params, message) => {
    expect(() => toBinding(slotsOf(tokenize(sql)), params)).toThrow(message);
  });

  it("says what parameters look like if their number is wrong", () => {
    const bind = (): unknown => toBinding(slotsOf(tokenize("id = %s AND name = '?'")), [1, "a"]);
    expect(bind).toThrow(expect.objectContaining({ hint: "Each ? or :name outside quotes takes one." }));
  });

  it("takes names that mean something to JavaScript", () => {
    expect(
      select(":__proto__, :constructor", JSON.parse('{"__proto__": 1, "constructor": 2}') as SqlParams),
    ).toEqual([1n, 2n]);
    expect(() => toBinding(slotsOf(tokenize(":toString")), {})).toThrow("Parameter :toString was not given.");
  });
});

describe("toSqlValue", () => {
  it.each<[Param, string]>([
    [1, "integer"],
    [1.5, "real"],
    [1e300, "real"],
    [-0, "real"],
    [true, "integer"],
    ["1", "text"],
    [null, "null"],
    [{ $int: "9223372036854775807" }, "integer"],
    [{ $real: "1" }, "real"],
    [{ $real: "-Infinity" }, "real"],
    [{ $blob: "AP8=" }, "blob"],
  ])("binds %j as its type", (param, type) => {
    expect(select("typeof(?)", [param])).toEqual([type]);
  });

  it.each<[unknown]>([
    [{ $int: "9223372036854775808" }],
    [{ $int: "1.5" }],
    [{ $int: 1.5 }],
    [{ $real: "one" }],
    [{ $blob: "not base64!" }],
    [{ $blob: "AA==", bytes: 5, truncated: true }],
    [{ other: 1 }],
    [[1, 2]],
    [{}],
  ])("refuses %j", (param) => {
    expect(() => toSqlValue(param as Param, "parameter 1")).toThrow(
      /The value of parameter 1 (cannot be bound|was cut)/,
    );
  });

  it("takes back every value that a result can hold", () => {
    const value = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true }).filter((real) => !Number.isSafeInteger(real)),
      fc.string({ unit: "grapheme" }),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.constant(null),
    );
    fc.assert(
      fc.property(value, (given: SqlValue) => {
        const cell = JSON.parse(JSON.stringify(toCell(given, 1000))) as Param;
        expect(select("?", [cell])).toEqual([given]);
      }),
    );
  });
});
