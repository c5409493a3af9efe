import { describe, expect, it } from "vitest";

import { searchFiles } from "../../src/tools/search-files.ts";
import { createProject } from "./project.ts";

const { project, call, shown, fence } = await createProject(searchFiles);

describe("search_files", () => {
  it("lists what it found, or says that it found nothing", async () => {
    expect(await shown({ path: "project", pattern: "*.{ts,js}" })).toBe(
      `"${project}": 1 match\n${fence(`${project}/src/index.ts`)}`,
    );
    expect(await shown({ path: "project", pattern: "*.py" })).toBe(`"${project}": nothing`);
    expect(await shown({ path: "project", pattern: "*/*.py" })).toBe(
      `"${project}": nothing\nGlobs are relative to path.`,
    );
    expect(await shown({ path: "project", pattern: "index" })).toBe(
      `"${project}": nothing\npattern must match a whole name: try *index*.`,
    );
  });

  it("takes the reference server's arguments", async () => {
    const result = await call({ path: project, pattern: "**/*.md", excludePatterns: ["src/**"] });
    const others = await call({ path: project, query: "*.md", max_results: 1 });
    expect(others.structuredContent).toEqual(result.structuredContent);
    expect(result.structuredContent).toEqual({
      untrusted: ["matches"],
      path: project,
      matches: [`${project}/README.md`],
      truncated: false,
    });
  });
});
