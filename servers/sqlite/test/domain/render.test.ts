import { describe, expect, it } from "vitest";
import { renderCell, renderTable } from "../../src/domain/render.ts";
import type { Cell } from "../../src/domain/values/cell.ts";

describe("a cell", () => {
  it.each<readonly [Cell, string]>([
    [null, "NULL"],
    ["NULL", '"NULL"'],
    ["", '""'],
    [" ", '" "'],
    ["null", "null"],
    [0, "0"],
    [-1.5, "-1.5"],
    ["0", '"0"'],
    ["-1.5", '"-1.5"'],
    [".5", '".5"'],
    ["1 apple", '"1 apple"'],
    [{ $int: "9223372036854775807" }, "9223372036854775807"],
    [{ $real: "-Infinity" }, "-Infinity"],
    ["-Infinity", '"-Infinity"'],
    ["(blob of 9 bytes: AQID…)", '"(blob of 9 bytes: AQID…)"'],
    [{ $blob: "AQID", bytes: 3 }, '{"$blob":"AQID"}'],
    [{ $blob: "AQID", bytes: 9, truncated: true }, "(blob of 9 bytes: AQID…)"],
    [{ $escaped: "\\u{200B}" }, '{"$escaped":"\\\\u{200B}"}'],
    ['{"$blob":"AQID"}', '"{\\"$blob\\":\\"AQID\\"}"'],
    ["a|b\\c\nd\re", "a\\|b\\\\c\\nd\\re"],
    ['say "x"', 'say "x"'],
    ['"x"… (9 bytes)', '"\\"x\\"… (9 bytes)"'],
    [{ $text: "x", bytes: 9, truncated: true }, '"x"… (9 bytes)'],
  ])("%j reads %s", (cell, text) => {
    expect(renderCell(cell)).toBe(text);
  });
});

describe("a table", () => {
  it("has a line of names, and one for each row", () => {
    const columns = ["a|b", "c"].map((name) => ({ name, type: null }));
    expect(
      renderTable({
        columns,
        rows: [
          [1, null],
          ["x", ""],
        ],
      }),
    ).toBe('a\\|b | c\n1 | NULL\nx | ""');
  });
});
