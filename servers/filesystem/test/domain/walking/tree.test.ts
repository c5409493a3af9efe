import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import * as fc from "fast-check";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";

import {
  readTree,
  type TreeDirectory,
  type TreePage,
  type TreeRequest,
} from "../../../src/domain/walking/tree.ts";
import { renderTree } from "../../../src/tools/directory-tree.ts";
import { createScratch } from "../reading/scratch.ts";

const { root, guard, write } = createScratch();
const read = (request: TreeRequest): Promise<TreePage> =>
  readTree(guard, request, { signal: new AbortController().signal });

const SHAPES: { readonly [shape: string]: (at: number) => string } = {
  "files indented far": (at) => `a/b/c/d/e/f/g/h/i/j/file-${at}`,
  "files in many directories": (at) => `a-${at % 40}/b-${at % 200}/${at}`,
  "empty directories": (at) => `top/${"long-".repeat(8)}${at}/`,
  "directories named on an earlier page": (at) => `top/${"x".repeat(60)}-${at % 300}/${at}`,
};
const PAGED = Object.entries(SHAPES).flatMap(([shape, toPath]) =>
  [2, 20].map((depth) => ({ shape, toPath, depth })),
);

it.each(PAGED)("fills a page of $shape to depth $depth in one view, and no view too far", async (paged) => {
  const { shape: path, toPath, depth } = paged;
  for (let at = 0; at < 1000; at += 1) write(`${path}/${toPath(at)}`);
  const budget = 5000;
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page: TreePage = await read({ path, depth, budget, cursor, limit: 10_000 });
    const size = Math.max(renderTree(page.tree).length, JSON.stringify(page.tree).length);
    cursor = page.next_cursor;
    expect(size).toBeLessThanOrEqual(budget);
    expect(size).toBeGreaterThan(cursor === undefined ? 0 : budget * 0.9);
    found.push(...flatten(page.tree));
  } while (cursor !== undefined);
  const { tree } = await read({ path, depth, budget: 1_000_000, limit: 10_000 });
  expect(found.toSorted()).toEqual(flatten(tree).toSorted());
});

/** A tree as its paths. */
const flatten = (tree: readonly TreeDirectory[]): string[] =>
  tree.flatMap(({ path, files = [], directories = [], links = [], other = [] }) =>
    [...files, ...directories, ...links, ...other].map((name) => join(path, name)),
  );

describe("readTree", () => {
  needs(it, "symbolic links")("gives each directory with what lies in it", async () => {
    for (const path of ["file", "a/b/c", "a/d", "empty/", "dist/x"]) write(`tree/${path}`);
    symlinkSync("a", join(root, "tree/link"));
    expect(await read({ path: "tree", exclude: ["dist"] })).toEqual({
      path: join(root, "tree"),
      entries: 7,
      tree: [
        { path: "", directories: ["a", "empty"], files: ["file"], links: ["link"] },
        { path: "a", directories: ["b"], files: ["d"] },
        { path: "a/b", files: ["c"] },
      ],
      truncated: false,
    });
  });

  it("says where depth kept it out of directories", async () => {
    for (const path of ["file", "a/b/c"]) write(`cut/${path}`);
    const cut = [
      { path: "", directories: ["a"], files: ["file"] },
      { path: "a", directories: ["b"], depth_reached: true },
    ];
    expect((await read({ path: "cut", depth: 2 })).tree).toEqual(cut);
    expect(renderTree(cut)).toBe("file\na/\n  b/ …");
    expect((await read({ path: "cut", depth: 3 })).tree).toEqual([
      cut[0],
      { path: "a", directories: ["b"] },
      { path: "a/b", files: ["c"] },
    ]);
  });

  it("gives pages that make up the whole", async () => {
    const names = fc.constantFrom("a", "b", "c", "a.b", "é");
    const paths = fc.array(fc.array(names, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(paths, fc.integer({ min: 1, max: 6 }), async (given, limit) => {
        rmSync(join(root, "paged"), { recursive: true, force: true });
        for (const path of given) write(`paged/${path.join("/")}/`);
        write("paged/file");
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await read({ path: "paged", limit, cursor });
          expect(page.entries).toBe(flatten(page.tree).length);
          found.push(...flatten(page.tree));
          cursor = page.next_cursor;
        } while (cursor !== undefined);
        const whole = flatten((await read({ path: "paged" })).tree);
        expect(found.toSorted()).toEqual(whole.toSorted());
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: 50 },
    );
  });
});
