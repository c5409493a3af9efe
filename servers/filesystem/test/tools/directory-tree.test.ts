import { describe, expect, it } from "vitest";

import { directoryTree } from "../../src/tools/directory-tree.ts";
import { createProject } from "./project.ts";

const { project, shown, fence } = await createProject(directoryTree);

describe("directory_tree", () => {
  it("shows an indented tree", async () => {
    expect(await shown({ path: "project", excludePatterns: ["*.md"] })).toBe(
      `"${project}": 5 entries\n${fence(".gitignore", "image", "link (link)", "src/", "  index.ts")}`,
    );
  });
});
