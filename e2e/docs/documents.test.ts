import { describe, expect, it } from "vitest";
import { blocksOf, placeOf, readDocuments } from "./documents.ts";

const document = {
  path: "a.md",
  text: [
    "# A",
    "",
    "1. Do:",
    "",
    "   ```ts program file=x.ts",
    "   let a;",
    "",
    "     let b;",
    "   ```",
    "",
    "Say `x`.",
  ].join("\n"),
};

describe("reading documents", () => {
  it("finds those that a newcomer reads first", () => {
    const paths = readDocuments().map(({ path }) => path);
    for (const path of [
      "README.md",
      "CONTRIBUTING.md",
      "packages/core/README.md",
      "servers/notes/README.md",
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => path.startsWith("docs/decisions/")).length).toBeGreaterThan(1);
  });

  it("takes blocks out of lists, with their marks and their place", () => {
    const [block, ...others] = blocksOf(document);
    expect(others).toEqual([]);
    expect(block).toMatchObject({
      language: "ts",
      marks: ["program", "file=x.ts"],
      text: "let a;\n\n  let b;\n",
    });
    expect(block && placeOf(block)).toBe("a.md:5");
  });
});
