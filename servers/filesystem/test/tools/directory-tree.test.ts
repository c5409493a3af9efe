import { describe, expect, it } from "vitest";
import { renderTree } from "../../src/tools/directory-tree.ts";

describe("renderTree", () => {
  it("indents what lies in a directory, and starts at the margin where a page goes on", () => {
    const tree = [
      { path: "", files: ["file\n"], directories: ["a"], links: ["link"], other: ["pipe"] },
      { path: "a", directories: ["b", "c"] },
      { path: "a/c", files: ["d"] },
      { path: "z/y", files: ["x"] },
    ];
    expect(renderTree(tree)).toBe(
      ["file\\n", "link (link)", "pipe (special)", "a/", "  b/", "  c/", "    d", "z/y/", "  x"].join("\n"),
    );
    expect(renderTree([])).toBe("");
  });
});
