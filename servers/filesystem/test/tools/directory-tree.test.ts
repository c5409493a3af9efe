import { describe, expect, it } from "vitest";
import { directoryTree, renderTree } from "../../src/tools/directory-tree.ts";
import { createProject, IGNORED } from "./project.ts";

const { project, shown, fence } = await createProject(directoryTree);

describe("directory_tree", () => {
  it("shows an indented tree", async () => {
    expect(await shown({ path: "project", excludePatterns: ["*.md"] })).toBe(
      `"${project}": 5 entries\n${fence(".gitignore", "image", "link (link)", "src/", "  index.ts")}\n${IGNORED}`,
    );
  });
});

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
