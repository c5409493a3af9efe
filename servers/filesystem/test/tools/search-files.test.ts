import { join } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import { searchFiles } from "../../src/tools/search-files.ts";
import { createProject, IGNORED } from "./project.ts";
import { connectTool, textOf } from "./tool-client.ts";

const { project, call, shown, fence, ...scratch } = await createProject(searchFiles);

describe("search_files", () => {
  it.each([
    [{ pattern: "*.py" }, IGNORED],
    [{ pattern: "*.py", exclude: ["dist"] }, undefined],
    [{ pattern: "*/*.py" }, `Globs are relative to path. ${IGNORED}`],
    [{ pattern: "*.{py,rb}" }, IGNORED],
    [{ pattern: "*.{py,{rb,go}}" }, IGNORED],
    [
      { pattern: "*.py,*.ts" },
      `A comma outside braces is part of a name: *.{ts,md} matches both endings. ${IGNORED}`,
    ],
    [{ pattern: "index" }, `pattern must match a whole name: try *index*. ${IGNORED}`],
    [{ pattern: "out.js" }, IGNORED],
  ])("says why it may have found nothing: %j", async (args, note) => {
    const { structuredContent } = await call({ path: "project", ...args });
    const found = structuredContent as { matches: string[]; ignored?: number; note?: string };
    const ignored = note?.includes(IGNORED) ? 1 : undefined;
    expect([found.matches, found.ignored, found.note]).toEqual([[], ignored, note]);
    expect(await shown({ path: "project", ...args })).toBe(
      `"project" in "${scratch.root}": nothing${note === undefined ? "" : `\n${note}`}`,
    );
  });

  it("takes no pattern as everything", async () => {
    const all = await call({ path: "project", pattern: "**", sort: "size" });
    expect((await call({ path: "project", sort: "size" })).structuredContent).toEqual(all.structuredContent);
  });

  it("names the other allowed directories, unless a path says where to look", async () => {
    const [empty, nested] = [join(scratch.root, "empty"), join(project, "src")];
    const guard = new PathGuard({ roots: [project, empty, nested] });
    const find = await connectTool(searchFiles, { ...scratch, guard });
    const result = await find({ pattern: "*.py" });
    expect(textOf(result)).toContain(`one allowed directory; give path for another, such as "${empty}".`);
    expect(result.structuredContent).toMatchObject({ also_allowed: [empty] });
    for (const path of [project, "src"])
      expect((await find({ path, pattern: "*.py" })).structuredContent).not.toHaveProperty("also_allowed");
    // A relative path could be in any of them.
    const { structuredContent } = await find({ path: project, pattern: "README.md" });
    expect(structuredContent).toMatchObject({ path: project, matches: [join(project, "README.md")] });
  });

  it("takes the reference server's arguments", async () => {
    const result = await call({ path: project, pattern: "**/*.md", excludePatterns: ["src/**"] });
    const others = await call({ path: project, query: "*.md", max_results: 1 });
    expect(others.structuredContent).toEqual(result.structuredContent);
    expect(result.structuredContent).toEqual({
      note: IGNORED,
      ignored: 1,
      untrusted: ["matches"],
      path: scratch.root,
      matches: [join("project", "README.md")],
      truncated: false,
    });
  });
});
