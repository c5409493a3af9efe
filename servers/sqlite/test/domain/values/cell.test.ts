import { describe, expect, it } from "vitest";
import { fromEscaped, type SqlValue, sizeOf, toCell } from "../../../src/domain/values/cell.ts";

describe("toCell", () => {
  it.each<[SqlValue, unknown]>([
    [null, null],
    [0n, 0],
    [9007199254740991n, 9007199254740991],
    [-9007199254740991n, -9007199254740991],
    [9007199254740992n, { $int: "9007199254740992" }],
    [9007199254740993n, { $int: "9007199254740993" }],
    [-9223372036854775808n, { $int: "-9223372036854775808" }],
    [1.5, 1.5],
    [2 ** 53, { $real: "9007199254740992" }],
    [-(2 ** 63), { $real: "-9223372036854776000" }],
    [2 ** 64, 2 ** 64],
    [Infinity, { $real: "Infinity" }],
    [-Infinity, { $real: "-Infinity" }],
    ["", ""],
    ["a\0b", { $escaped: "a\\u{0}b" }],
    ["\u200B\\u{200B}\\", { $escaped: "\\u{200B}\\\\u{200B}\\\\" }],
    ["\\u{200B}", "\\u{200B}"],
    [Buffer.from([0, 255]), { $blob: "AP8=", bytes: 2 }],
    [Buffer.alloc(0), { $blob: "", bytes: 0 }],
  ])("carries %s", (value, cell) => {
    expect(toCell(value, 100)).toEqual(cell);
  });

  it("cuts text between characters, and says how long it was", () => {
    expect(toCell("abcdefghij", 4)).toEqual({ $text: "abcd", bytes: 10, truncated: true });
    expect(toCell("äöü€", 5)).toEqual({ $text: "äö", bytes: 9, truncated: true });
    expect(toCell("😀😀", 7)).toEqual({ $text: "😀", bytes: 8, truncated: true });
    expect(toCell("äöü€", 9)).toBe("äöü€");
  });

  it("cuts blobs", () => {
    expect(toCell(Buffer.from("abcdef"), 3)).toEqual({ $blob: "YWJj", bytes: 6, truncated: true });
  });

  it("is what JSON makes of it and back", () => {
    const cells = [1n, 2n ** 62n, 0.1, -Infinity, "x", Buffer.from("y"), null].map((value) =>
      toCell(value, 10),
    );
    expect(JSON.parse(JSON.stringify(cells))).toEqual(cells);
  });
});

describe("sizeOf", () => {
  it("grows with what is inside", () => {
    expect(sizeOf("a".repeat(1000))).toBeGreaterThan(1000);
    expect(sizeOf(toCell(Buffer.alloc(900), 1000))).toBeGreaterThan(1200);
    expect(sizeOf(toCell("a".repeat(5000), 1000))).toBeLessThan(1100);
    expect(sizeOf(null)).toBeLessThan(10);
  });

  it("is that of its JSON, with a bar counted twice and what separates cells in a table", () => {
    for (const value of [
      0,
      -0,
      -0.25,
      1e21,
      5e-324,
      2n ** 60n,
      null,
      "",
      "plain",
      'a|b"|c',
      "é\n",
      Infinity,
    ]) {
      const json = JSON.stringify(toCell(value, 1000));
      expect(sizeOf(toCell(value, 1000)), json).toBe(json.length + json.split("|").length - 1 + 3);
    }
  });
});

describe("fromEscaped", () => {
  it("gives the text back, and takes nothing else", () => {
    for (const text of ["a\0b", "\u200B\\u{200B}\\", "\u{E0041}\u{10FFFF}\u202E"]) {
      const cell = toCell(text, 1000) as { $escaped: string };
      expect(fromEscaped(cell.$escaped)).toBe(text);
    }
    for (const text of ["\\", "\\x", "\\u{110000}", "\\u{}", "\\u{zz}"]) {
      expect(fromEscaped(text), text).toBeUndefined();
    }
  });
});
