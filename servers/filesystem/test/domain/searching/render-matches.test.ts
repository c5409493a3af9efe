import { describe, expect, it } from "vitest";

import { renderMatches } from "../../../src/domain/searching/render-matches.ts";

describe("renderMatches", () => {
  it("groups lines by file, with a gap between files", () => {
    const files = [
      {
        path: "/a",
        matches: [
          { line: 3, column: 1, text: "x" },
          { line: 9, column: 2, text: "y" },
        ],
      },
      { path: "/b", matches: [{ line: 1, column: 1, text: "z\r" }] },
    ];
    expect(renderMatches(files)).toBe("/a\n3: x\n9: y\n\n/b\n1: z\\r");
    expect(renderMatches([{ path: "/a" }, { path: "/b" }])).toBe("/a\n/b");
    expect(renderMatches([{ path: "/a", count: 3 }])).toBe("/a: 3");
  });

  it("shows each line once, in order, and marks where some are left out", () => {
    const matches = [
      { line: 2, column: 1, text: "two", before: ["one"], after: ["three"] },
      { line: 3, column: 1, text: "three", before: ["two"], after: ["four"] },
      { line: 9, column: 1, text: "nine", before: ["eight"] },
    ];
    expect(renderMatches([{ path: "/a", matches }])).toBe(
      "/a\n1- one\n2: two\n3: three\n4- four\n--\n8- eight\n9: nine",
    );
  });
});
