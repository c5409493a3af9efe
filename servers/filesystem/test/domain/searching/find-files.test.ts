import { utimesSync } from "node:fs";
import { join, sep } from "node:path";

import { describe, expect, it } from "vitest";

import { findFiles, type FindRequest, type FoundPage } from "../../../src/domain/searching/find-files.ts";
import { createScratch } from "../reading/scratch.ts";

const { root, guard, write } = createScratch();
const signal = new AbortController().signal;
const find = (request: Partial<FindRequest>): Promise<FoundPage> =>
  findFiles(guard, { path: "tree", pattern: "*", ...request }, { signal });
const names = ({ matches = [] }: FoundPage): string[] =>
  matches.map((path) => path.slice("tree/".length).replaceAll(sep, "/"));

for (const path of ["a.ts", "a.md", "src/b.ts", "src/deep/c.ts", "dist/d.ts", "src/ignored.ts"])
  write(`tree/${path}`);
write("tree/.gitignore", "dist\nignored.*\n");

describe("findFiles", () => {
  it("looks at names anywhere, or at paths from the start on, and leaves out what is excluded or ignored", async () => {
    expect(names(await find({ pattern: "*.ts" }))).toEqual(["a.ts", "src/b.ts", "src/deep/c.ts"]);
    expect(names(await find({ pattern: "src/**/*.ts" }))).toEqual(["src/b.ts", "src/deep/c.ts"]);
    expect(names(await find({ pattern: "*.ts", exclude: ["deep"] }))).toEqual(["a.ts", "src/b.ts"]);
    expect(names(await find({ pattern: "*.ts", respect_gitignore: false }))).toHaveLength(5);
  });

  it("takes globs with the whole path of the start, as results have it", async () => {
    const whole = (glob: string): string => join(root, "tree", glob);
    const wanted = { pattern: whole("src/**/*.ts"), exclude: [whole("src/deep/**")] };
    expect(names(await find(wanted))).toEqual(["src/b.ts"]);
    expect(names(await find({ pattern: whole("*.ts") }))).toEqual(["a.ts"]);
    expect((await find({ ...wanted, sort: "size" })).total).toBe(1);
  });

  it("gives pages that follow each other exactly", async () => {
    for (const limit of [1, 2, 3, 7]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await find({ limit, cursor });
        expect(names(page).length).toBeLessThanOrEqual(limit);
        expect(page.truncated).toBe(page.next_cursor !== undefined);
        found.push(...names(page));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(found).toEqual(names(await find({})));
    }
  });

  it("gives the largest or newest files first, with both facts, page by page", async () => {
    for (const [index, name] of ["small", "large", "middle"].entries()) {
      const size = [1, 300, 20][index] ?? 0;
      write(`sorted/${name}`, "x".repeat(size));
      utimesSync(join(root, "sorted", name), 0, 1000 * (index + 1));
    }
    const request = { path: "sorted", pattern: "*", sort: "size" } as const;
    const largest = await find({ ...request, limit: 2 });
    expect(largest).toMatchObject({
      files: [
        { path: join("sorted", "large"), size: 300, modified: "1970-01-01T00:33:20Z" },
        { path: join("sorted", "middle"), size: 20 },
      ],
      total: 3,
      total_bytes: 321,
      truncated: true,
    });
    const rest = await find({ ...request, limit: 2, cursor: largest.next_cursor });
    expect(rest.files).toMatchObject([{ path: join("sorted", "small") }]);
    const newest = await find({ ...request, sort: "modified" });
    expect(newest.files?.map(({ size }) => size)).toEqual([20, 300, 1]);
    const detailed = await find({ path: "sorted", pattern: "*", details: true });
    expect(detailed.files?.map(({ size }) => size)).toEqual([300, 20, 1]);
    const cut = await find({ path: "sorted", pattern: "*", details: true, limit: 1 });
    expect([detailed, cut].map((page) => page.total_bytes)).toEqual([321, 321]);
  });

  it("refuses a glob that cannot be, before it looks at anything", async () => {
    await expect(find({ pattern: "[" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(find({ exclude: ["!x"] })).rejects.toMatchObject({ code: "invalid_input" });
  });
});
