import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { findFiles, type FindRequest, type FoundPage } from "../../../src/domain/searching/find-files.ts";
import { createPlot } from "../walking/plot.ts";

const { root, guard, plant } = createPlot();
const signal = new AbortController().signal;
const find = (request: Partial<FindRequest>): Promise<FoundPage> =>
  findFiles(guard, { path: "tree", pattern: "*", ...request }, { signal });
const names = ({ matches }: FoundPage): string[] =>
  matches.map((path) => path.slice(join(root, "tree/").length));

for (const path of ["a.ts", "a.md", "src/b.ts", "src/deep/c.ts", "dist/d.ts", "src/ignored.ts"])
  plant(`tree/${path}`);
plant("tree/.gitignore", "dist\nignored.*\n");

describe("findFiles", () => {
  it("gives absolute paths, directories with a slash behind", async () => {
    expect(await find({ pattern: "{src,a.md}" })).toEqual({
      path: join(root, "tree"),
      matches: [join(root, "tree/a.md"), `${join(root, "tree/src")}/`],
      truncated: false,
    });
  });

  it("looks at names anywhere, or at paths from the start on, and leaves out what is excluded or ignored", async () => {
    expect(names(await find({ pattern: "*.ts" }))).toEqual(["a.ts", "src/b.ts", "src/deep/c.ts"]);
    expect(names(await find({ pattern: "src/**/*.ts" }))).toEqual(["src/b.ts", "src/deep/c.ts"]);
    expect(names(await find({ pattern: "*.ts", excludePatterns: ["deep"] }))).toEqual(["a.ts", "src/b.ts"]);
    expect(names(await find({ pattern: "*.ts", respect_gitignore: false }))).toHaveLength(5);
  });

  it("gives pages that follow each other exactly", async () => {
    for (const limit of [1, 2, 3, 7]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await find({ limit, cursor });
        expect(page.matches.length).toBe(page.truncated ? limit : page.matches.length);
        found.push(...names(page));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(found).toEqual(names(await find({})));
    }
  });

  it("refuses a glob that cannot be, before it looks at anything", async () => {
    await expect(find({ pattern: "[" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(find({ excludePatterns: ["!x"] })).rejects.toMatchObject({ code: "invalid_input" });
  });
});
