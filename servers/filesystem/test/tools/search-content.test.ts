import { describe, expect, it } from "vitest";
import { renderMatches, searchContent } from "../../src/tools/search-content.ts";
import { createProject, IGNORED } from "./project.ts";
import { errorOf } from "./tool-client.ts";

const { write, call, shown } = await createProject(searchContent);

describe("search_content", () => {
  it("counts the matches of a page for no more than that", async () => {
    const args = { path: "project", pattern: "needle", limit: 1 };
    const { next_cursor: cursor } = (await call(args)).structuredContent as { next_cursor: string };
    for (const page of [args, { ...args, cursor }])
      expect(await shown(page)).toContain(": 1 match in 1 file on this page, ");
  });

  it("says of bytes that are not UTF-8 that it does not show them", async () => {
    write("latin1", Buffer.from("caf\xE9 au lait", "latin1"));
    expect(await shown({ path: "latin1", pattern: "lait" })).toMatch(/caf\uFFFD au lait[^]*not UTF-8/);
    expect(await shown({ path: "latin1", pattern: "\u00E9|lait", regex: true })).toMatch(
      /\n1: caf\uFFFD au lait\n[^]*\nCould not be read in full \(1\):\n[^]*latin1: it is not UTF-8, /,
    );
  });

  it.each([
    [
      { pattern: "needle|title" },
      4,
      "pattern was searched as plain text: set regex: true for an expression.",
    ],
    [
      { pattern: String.raw`\bneedle\b` },
      4,
      "pattern was searched as plain text: set regex: true for an expression.",
    ],
    [
      { pattern: "needle", include: ["project/**/*.md"] },
      0,
      "include matches no file. Globs are relative to path.",
    ],
    [{ pattern: "needle", include: [".ts"] }, 0, "include matches no file."],
    [
      { pattern: "needle", include: ["*.ts"], exclude: ["src"] },
      0,
      "include matches no file, or only files that exclude leaves out.",
    ],
    [{ pattern: "needle|title", regex: true, include: ["**/*.ts", "*.js"] }, 1, undefined],
    [{ pattern: "absent", regex: true }, 4, undefined],
    [{ pattern: "absent", include: ["src/**"] }, 1, undefined],
  ])("says why it may have found nothing: %j", async (args, searched, note) => {
    const { structuredContent, content } = await call({ path: "project", ...args });
    const { note: said, files_searched } = structuredContent as { note?: string; files_searched: number };
    const whole = note === undefined ? IGNORED : `${note} ${IGNORED}`;
    expect({ said, files_searched }).toEqual({ said: whole, files_searched: searched });
    expect(JSON.stringify(content)).toContain(whole);
  });

  it("takes the pattern by other names", async () => {
    for (const name of ["query", "search"])
      expect(await shown({ path: "project", [name]: "needle" })).toContain("2 matches");
  });

  it("refuses what it cannot do before it begins", async () => {
    for (const args of [{ pattern: "" }, { pattern: "(", regex: true }, { pattern: "x", context: 21 }]) {
      expect(errorOf(await call({ path: "project", ...args }))).toMatchObject({ code: "invalid_input" });
    }
  });
});

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
