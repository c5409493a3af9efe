import { describe, expect, it } from "vitest";

import { listDirectoryWithSizes } from "../../src/tools/list-directory-with-sizes.ts";
import { createProject } from "./project.ts";

const { project, shown } = await createProject(listDirectoryWithSizes);

describe("list_directory_with_sizes", () => {
  it("gives sizes and totals", async () => {
    expect(await shown({ path: "project", sortBy: "size", limit: 2 })).toMatch(
      new RegExp(
        `^"${project}": 3 files, 1 directory, 33 bytes\n[^]*\\[FILE\\] README.md 24\n\\[FILE\\][^]*\nThe total counts files directly in this directory; .*1 more ignored`,
      ),
    );
  });
});
