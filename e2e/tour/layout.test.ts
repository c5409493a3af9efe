import { describe, expect, it } from "vitest";
import { toDefinitionLines, toTable, wrap } from "./layout.ts";

describe("wrap", () => {
  it("fills lines up to the width and not beyond", () => {
    expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(wrap("one two", 7)).toEqual(["one two"]);
  });

  it("leaves a word that is too long in one piece", () => {
    expect(wrap("a /very/long/path b", 5)).toEqual(["a", "/very/long/path", "b"]);
  });

  it("has no line for no words", () => {
    expect(wrap(" \n ", 10)).toEqual([]);
  });
});

describe("definitions", () => {
  it("stand in two columns", () => {
    const lines = toDefinitionLines(
      [
        { label: "a", text: "first" },
        { label: "long", text: "second and more words than one line has room for" },
      ],
      40,
    );
    expect(lines.map(({ label, text }) => label + text)).toEqual([
      "a     first",
      "long  second and more words than one",
      "      line has room for",
    ]);
  });

  it("stand below their labels where there is no room beside them", () => {
    const lines = toDefinitionLines([{ label: "a_rather_long_name", text: "its text" }], 30);
    expect(lines.map(({ label, text }) => label + text)).toEqual(["a_rather_long_name", "  its text"]);
  });
});

describe("a table", () => {
  const header = ["2024", "2025"];
  const rows = [
    { label: "era", cells: ["old", "new"] },
    { label: "asks", cells: ["-", "yes"] },
  ];

  it("lines its columns up", () => {
    expect(toTable(header, rows, 80)).toEqual(["      2024 2025", "era   old  new", "asks  -    yes"]);
  });

  it("becomes a list where it does not fit", () => {
    expect(toTable(header, rows, 14)).toEqual([
      "era",
      "  2024 old",
      "  2025 new",
      "asks",
      "  2024 -",
      "  2025 yes",
    ]);
  });
});
