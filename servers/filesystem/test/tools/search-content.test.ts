import { describe, expect, it } from "vitest";

import { searchContent } from "../../src/tools/search-content.ts";
import { createProject } from "./project.ts";
import { errorOf } from "./reading-client.ts";

const { project, call, shown, fence } = await createProject(searchContent);

describe("search_content", () => {
  it("groups matches by file, and counts what it left out", async () => {
    expect(await shown({ path: "project", pattern: "needle", context: 1 })).toBe(
      `"${project}": 2 matches in 2 files, 4 files searched, 1 of them binary\n` +
        fence(
          `${project}/README.md`,
          "1- # Title",
          "2: needle one",
          "3- last",
          "",
          `${project}/src/index.ts`,
          "1: needle two",
        ),
    );
  });

  it("refuses what it cannot do before it begins", async () => {
    for (const args of [{ pattern: "" }, { pattern: "(", regex: true }, { pattern: "x", context: 21 }]) {
      expect(errorOf(await call({ path: "project", ...args }))).toMatchObject({ code: "invalid_input" });
    }
  });
});
