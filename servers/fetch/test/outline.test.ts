import { describe, expect, it } from "vitest";

import {
  findHeadings,
  findNamesakes,
  findNumbered,
  findSection,
  renderOutline,
} from "../src/domain/parsing/outline.ts";

describe("an outline", () => {
  const text = "intro\n# One\na\n```sh\n# not one\n```\n## [Two `x`](http://a/)\nb\n# Three \\_\nc";
  const headings = findHeadings(text);

  it("has the headings, and none from code", () => {
    expect(headings.map(({ level, text: name }) => [level, name])).toEqual([
      [1, "One"],
      [2, "Two x"],
      [1, "Three _"],
    ]);
    expect(renderOutline(headings).split("\n")[1]).toMatch(/^ {2}2\. Two x \(\d+ characters\)$/);
  });

  it.each(["Two x", "2", "#2", "two", "## Two x", "x"])("finds the section %j", (wanted) => {
    const { start, end } = findSection(headings, wanted);
    expect(text.slice(start, end)).toMatch(/^## \[Two `x`\]\(http:\/\/a\/\)\nb\n$/);
  });

  it("takes digits for a name where there is one, and #n for the number alone", () => {
    const numbered = findHeadings("# 2\n# 1\n# 20");
    expect(["1", "2", "3", "#1", "#2"].map((wanted) => findSection(numbered, wanted).text)).toEqual([
      "1",
      "2",
      "20",
      "2",
      "1",
    ]);
    expect(() => findSection(numbered, "#20")).toThrow("no section 20");
    const own = findHeadings("# 0. Manual\n\n## 1. Start\n\n## 2. Install\n\n## 2.1 Deep\n\n## 3) Limits\n");
    expect(["0", "1", "2", "3", "5", "9"].map((wanted) => findNumbered(own, wanted))).toEqual([
      [],
      [1, 2],
      [2, 3],
      [3, 5],
      [5],
      [],
    ]);
  });

  it.each([
    ["# a #", "a"],
    ["## #", "#"],
    ["# [a](b_(c)) d ##", "a d"],
    ["# C#\r", "C"],
    [`# ${"x".repeat(5000)}`, "x".repeat(1000)],
  ])("reads the heading %j", (line, title) => {
    expect(findHeadings(line).map((heading) => heading.text)).toEqual([title]);
  });

  it("finds a section by its path, as a search names it", () => {
    const twice = findHeadings("# A\n## Use\n# B\n## Use\n");
    expect(findSection(twice, "b > use")).toBe(twice[3]);
    expect(() => findSection(twice, "a > b")).toThrow("no section");
  });

  it.each(["#", "# ", "#a", "####### a", " # a"])("takes %j for no heading", (line) => {
    expect(findHeadings(line)).toEqual([]);
  });

  it("ends a section at the next heading of its level or above", () => {
    const ends = findHeadings("# a\n### b\n## c\n### d\n# e").map(({ start, end }) => [start, end]);
    expect(ends).toEqual([
      [0, 21],
      [4, 10],
      [10, 21],
      [15, 21],
      [21, 24],
    ]);
  });

  it("names only the first of very many namesakes", () => {
    const many = findHeadings("# a\n".repeat(1000));
    expect(findNamesakes(many, findSection(many, "A"), "A")).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it("names those that a part of a name means just as well", () => {
    const parts = findHeadings("# Use\n# Use it\n# Reuse\n# Use them\n");
    for (const [wanted, numbers] of [
      ["use", [1]],
      ["use ", [1]],
      ["us", [1, 2, 4]],
      ["se", [1, 2, 3, 4]],
      ["## reuse", [3]],
    ] as const)
      expect(findNamesakes(parts, findSection(parts, wanted), wanted), wanted).toEqual(numbers);
  });

  it("says what was probably meant", () => {
    expect(() => findSection(headings, "Thre _x")).toThrow(
      expect.objectContaining({ code: "not_found", hint: expect.stringContaining("Three _") as string }),
    );
  });
});
