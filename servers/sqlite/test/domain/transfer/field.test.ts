import { TimeSlices } from "@suite/server-kit/domain";
import Database from "better-sqlite3";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Affinity,
  affinityOf,
  type Field,
  guessTypes,
  isAmbiguous,
  toRealText,
  toStoredValue,
  isNumeric,
} from "../../../src/domain/transfer/field.ts";
import type { SqlValue } from "../../../src/domain/values/cell.ts";
import { unstopped } from "../scratch.ts";
import { inPieces } from "./pieces.ts";

const bare = (text: string, affinity: Affinity): SqlValue => toStoredValue({ $bare: text }, affinity, "c");

describe("a bare field", () => {
  it.each<readonly [string, Affinity, SqlValue]>([
    ["1", "INTEGER", 1n],
    ["1", "NONE", 1n],
    ["1", "TEXT", "1"],
    ["01", "INTEGER", "01"],
    ["01", "NONE", "01"],
    ["-9223372036854775808", "NONE", -(2n ** 63n)],
    ["9007199254740993", "REAL", 9007199254740993n],
    ["99999999999999999999", "NONE", "99999999999999999999"],
    ["1.5", "REAL", 1.5],
    ["1.5", "TEXT", "1.5"],
    ["1.50", "NONE", "1.50"],
    ["0.30000000000000004", "NONE", 0.30000000000000004],
    ["1.0", "NONE", 1],
    ["9e999", "NONE", Number.POSITIVE_INFINITY],
    ["-9e999", "REAL", Number.NEGATIVE_INFINITY],
    ["9e999", "TEXT", "9e999"],
    ["1e+21", "NONE", 1e21],
    ["-", "INTEGER", "-"],
    ["+1", "NONE", "+1"],
    ["0x10", "NONE", "0x10"],
    ["X'00ff'", "NONE", Buffer.from([0, 255])],
    ["x''", "TEXT", Buffer.alloc(0)],
    ["x'0'", "NONE", "x'0'"],
  ])("%s for %s is %o", (text, affinity, value) => {
    expect(bare(text, affinity)).toEqual(value);
  });

  it.each<readonly [string, SqlValue]>([
    ["1.105", 1105n],
    ["-1.105,5", -1105.5],
    ["0.125", 0.125],
    ["1.5", 1.5],
  ])("%s is %o where commas are decimal marks", (text, value) => {
    expect(toStoredValue({ $bare: text }, "REAL", "c", ",")).toEqual(value);
  });

  it("with more digits than an integer has is refused where they would be lost", () => {
    expect(() => bare("99999999999999999999", "INTEGER")).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: expect.stringContaining("64 bits") as string,
      }) as Error,
    );
  });
});

describe("a field of JSON", () => {
  it.each<readonly [Field, SqlValue]>([
    [null, null],
    [true, 1n],
    ["1", "1"],
    [1, 1n],
    [1.5, 1.5],
    [{ $int: "9223372036854775807" }, 2n ** 63n - 1n],
    [{ $real: 1 }, 1],
    [{ $real: "-Infinity" }, Number.NEGATIVE_INFINITY],
    [{ $blob: "AP8=" }, Buffer.from([0, 255])],
  ])("%j is %o", (field, value) => {
    expect(toStoredValue(field, "NONE", "c")).toEqual(value);
  });

  it.each([
    [{}],
    [[]],
    [[1]],
    [{ a: 1 }],
    [{ $int: 5 }],
    [{ $blob: 5 }],
    [{ $blob: null }],
    [{ $real: {} }],
    [{ $int: "1e5" }],
  ])("%j is refused", (field) => {
    expect(() => toStoredValue(field as never, "NONE", "c")).toThrow(
      expect.objectContaining({ code: "invalid_input" }) as Error,
    );
  });
});

describe("the type of a new column", () => {
  it.each<readonly [string, readonly Field[]]>([
    ["TEXT", []],
    ["TEXT", [{ $bare: "1e5" }]],
    ["REAL", ["0.5", "1e-7", "1e+21", "9e999", "-9e999", ".5", "1.50"].map(($bare) => ({ $bare }))],
    ["INTEGER", [{ $bare: "1" }, { $bare: "9223372036854775807" }, { $bare: "-9223372036854775808" }]],
    ["TEXT", [{ $bare: "1" }, { $bare: "9223372036854775808" }]],
    ["REAL", [{ $bare: "9007199254740991" }, { $bare: "1.5" }]],
    ["NUMERIC", [{ $bare: "9007199254740993" }, { $bare: "1.5" }]],
    ["NUMERIC", [1.5, { $int: "9007199254740993" }]],
    ["INTEGER", [{ $int: "9007199254740993" }]],
    ["TEXT", [{ $int: "9007199254740993" }, "x"]],
    ["BLOB", [{ $bare: "x'00'" }]],
  ])("is %s by %j", async (type, fields) => {
    const group = { columns: ["c"], from: 1, rows: fields.map((field) => [field]) };
    const types = guessTypes(inPieces([[group]]), ".", new TimeSlices(unstopped()), () => undefined);
    expect((await types).types).toEqual([["c", type]]);
  });

  it("is known for those of all rows, once for each name as SQLite tells them apart", async () => {
    const groups = [
      { columns: ["a"], from: 1, rows: [[1]] },
      { columns: ["É", " A "], from: 2, rows: [["x", 1.5]] },
      { columns: ["é"], from: 3, rows: [[2]] },
    ];
    const types = guessTypes(inPieces([groups]), ".", new TimeSlices(unstopped()), () => undefined);
    expect((await types).types).toEqual([
      ["a", "REAL"],
      ["É", "TEXT"],
      ["é", "INTEGER"],
    ]);
  });

  it.each([
    ["many", 32_767, ""],
    ["long", 11, "x".repeat(100_000)],
  ])("is not looked for where there are too %s names", async (_, count, start) => {
    const columns = Array.from({ length: count }, (__, at) => `${start}${at}`);
    const portions = inPieces([[{ columns, from: 1, rows: [] }]]);
    const types = guessTypes(portions, ".", new TimeSlices(unstopped()), () => undefined);
    await expect(types).rejects.toMatchObject({ code: "too_large" });
  });
});

it.each<readonly [Field, string | undefined]>([
  ["n/a", "n/a"],
  [{ $bare: "-" }, "-"],
  ["", ""],
  [{ $bare: "01550" }, undefined],
  ["12 kg", undefined],
  [{ $bare: "x'00'" }, undefined],
])("%j among numbers makes their column one of text, which is told: %j", async (field, value) => {
  const rows = [1, 2, field, 3, 4, "none"].map((number) => [number, typeof number === "number" ? "a" : 5]);
  const group = { columns: ["n", "t"], from: 2, rows: value === undefined ? rows.slice(0, -1) : rows };
  const { types, mixed } = await guessTypes(inPieces([[group]]), ".", new TimeSlices(unstopped()), () => {});
  expect(Object.fromEntries(types)).toEqual({ n: "TEXT", t: "TEXT" });
  expect(mixed).toEqual(value === undefined ? [] : [{ name: "n", value, record: 4 }]);
});

describe("a real as text", () => {
  it("reads back as the same real, and never as an integer", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (real) => {
        const text = toRealText(real);
        expect(isAmbiguous(text)).toBe(true);
        expect(Object.is(bare(text, "NONE"), real)).toBe(true);
      }),
    );
  });
});

const TYPES = [
  "INT INTEGER TINYINT bigint UNSIGNED_BIG_INT INT8 POINT",
  "CHARACTER(20) varchar NCHAR TEXT clob CHARBLOB",
  "BLOB blobby NONE",
  "REAL DOUBLE float FLOATING",
  "NUMERIC DECIMAL(10,5) BOOLEAN DATE DATETIME STRING ANY",
]
  .join(" ")
  .split(" ");

/** What a column makes of the text '12.0' shows its affinity. */
const STORED: { readonly [kept: string]: string } = {
  "integer 12": "INTEGER or NUMERIC",
  "text 12.0": "TEXT or NONE",
  "real 12.0": "REAL",
};

describe("the affinity of a type", () => {
  it.each([...TYPES, ""])("is SQLite's own: %s", (type) => {
    const database = new Database(":memory:");
    database.exec(`CREATE TABLE t (a ${type}); INSERT INTO t VALUES ('12.0')`);
    const kept = database.prepare("SELECT typeof(a) || ' ' || a FROM t").pluck().get() as string;
    expect(STORED[kept]?.split(" or ")).toContain(affinityOf(type, false));
    // Text and nothing differ in what they make of a number.
    database.exec("DELETE FROM t; INSERT INTO t VALUES (12)");
    const isText = database.prepare("SELECT typeof(a) FROM t").pluck().get() === "text";
    expect(affinityOf(type, false) === "TEXT").toBe(isText);
    database.close();
  });

  it("is none for ANY in a strict table", () => {
    expect([affinityOf("ANY", true), affinityOf("any", true), affinityOf("INT", true)]).toEqual([
      "NONE",
      "NONE",
      "INTEGER",
    ]);
  });
});

it("takes for numbers what SQLite does, and as quickly however long it is", () => {
  const numbers = ["1", "-1.5", " .5e3 ", "1e999", 7n, 0.5];
  const others = ["", "0x1F", "1.2.3", ".", "n/a", null, `${"1".repeat(500_000)}x`];
  expect([...numbers, ...others].filter((value) => isNumeric(value, "NUMERIC"))).toEqual(numbers);
  expect(isNumeric("1", "TEXT")).toBe(false);
});
