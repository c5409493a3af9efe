import { expect, it } from "vitest";

import { searchText } from "../src/domain/parsing/search.ts";

it("a search shows lines, headings and places", () => {
  const text = `# A\nnothing\n\nThe Needle\n\n## B\n${"x".repeat(2000)}needle${"y".repeat(2000)}`;
  const { matches } = searchText({ text, query: "needle", context: 1, ignoreCase: true, limit: 9 });
  expect(matches.map(({ line, section }) => [line, section])).toEqual([
    [4, "A"],
    [7, "A > B"],
  ]);
  expect(matches.map(({ start_index }) => text.slice(start_index, start_index + 6))).toEqual([
    "Needle",
    "needle",
  ]);
  expect(matches[0]?.text).toBe("nothing\nThe Needle\n## B");
  expect(matches[1]?.text.length).toBeLessThan(600);
  expect(searchText({ text, query: "needle", context: 0, ignoreCase: false, limit: 9 }).total).toBe(1);
  expect(searchText({ text, query: "needle", context: 1, ignoreCase: true, limit: 1 })).toEqual({
    total: 2,
    matches: matches.slice(0, 1),
  });
});

it("a search shows a row of a table below the names of its columns, once", () => {
  const text = "| Name | Size |\n| --- | ---: |\n| a | 1 |\n| b | 2 |\n| c | 3 |\n\n| loose |";
  const linesOf = (query: string): string | undefined =>
    searchText({ text, query, context: 1, ignoreCase: true, limit: 9 }).matches[0]?.text;
  expect(linesOf("c |")).toBe("| Name | Size |\n| b | 2 |\n| c | 3 |\n| loose |");
  expect(linesOf("a |")).toBe("| Name | Size |\n| a | 1 |\n| b | 2 |");
  expect(linesOf("size")).toBe("| Name | Size |\n| a | 1 |");
  expect(linesOf("loose")).toBe("| c | 3 |\n| loose |");
});

it("a search finds what Markdown escapes, where it stands", () => {
  const text = "| a\\_b | x\\|y |";
  for (const query of ["x|y", "x\\|y"]) {
    const [match] = searchText({ text, query, context: 0, ignoreCase: true, limit: 9 }).matches;
    expect(text.slice(match?.start_index), query).toBe("x\\|y |");
  }
  expect(searchText({ text, query: "x||y", context: 0, ignoreCase: true, limit: 9 }).total).toBe(0);
});

it.each([
  ["timeout option", "`timeout` option"],
  ["option to zero to", "option to **zero** to"],
  ["see the guide_a", "see [the _guide\\_a_](/f_(x))"],
  ["with **kwargs to", "with `**kwargs` to"],
  ["the SELECT * FROM", "the `SELECT * FROM` query"],
  ["the 2 * 3", "the 2 \\* 3"],
  ["***", "\\*\\*\\*"],
  ["H2O, x2 plus", "H<sub>2</sub>O, x<sup>2</sup> plus"],
  ["forever", "forever"],
])("a search finds %j as a reader sees it, where it stands", (query, written) => {
  const text = `# Doc\n**Set** the \\* ${written} *forever*`;
  const [match] = searchText({ text, query, context: 0, ignoreCase: true, limit: 9 }).matches;
  expect(text.slice(match?.start_index)).toBe(`${written} *forever*`);
});
