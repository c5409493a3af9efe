import { describe, expect, it } from "vitest";

import { renderMatches } from "../../../src/domain/searching/render-matches.ts";

describe("renderMatches", () => {
  it("groups lines by file, with a gap between files", () => {
    const matches = [
      { path: "/a", line: 3, column: 1, text: "x" },
      { path: "/a", line: 9, column: 2, text: "y" },
      { path: "/b\n", line: 1, column: 1, text: "z\r" },
    ];
    expect(renderMatches(matches)).toBe("/a\n3: x\n9: y\n\n/b\\n\n1: z\\r");
  });

  it("shows each line once, in order, and marks where some are left out", () => {
    const matches = [
      { path: "/a", line: 2, column: 1, text: "two", before: ["one"], after: ["three"] },
      { path: "/a", line: 3, column: 1, text: "three", before: ["two"], after: ["four"] },
      { path: "/a", line: 9, column: 1, text: "nine", before: ["eight"] },
    ];
    expect(renderMatches(matches)).toBe("/a\n1- one\n2: two\n3: three\n4- four\n--\n8- eight\n9: nine");
  });
});
