import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import { createPlot, paths } from "../plot.ts";

const { root, guard, plant } = createPlot();

describe("ignore rules", () => {
  it("come from all directories above, up to the repository's top", async () => {
    plant("above/.gitignore", "*.far\n");
    plant("above/repository/.git/info/exclude", "*.own\n");
    plant("above/repository/.gitignore", "/deep/er/anchored\n*.top\n!kept.own\n");
    for (const name of ["a.far", "a.own", "a.top", "anchored", "kept.own", "file"]) {
      plant(`above/repository/deep/er/${name}`);
    }
    expect([...(await paths({ guard }, "above/repository/deep/er"))]).toEqual(["a.far", "file", "kept.own"]);
    expect([...(await paths({ guard }, "above/repository/deep"))].slice(1)).toEqual([
      "er/a.far",
      "er/file",
      "er/kept.own",
    ]);
  });

  it("count paths from their own directory on", async () => {
    plant("anchored/sub/.gitignore", "/a\nb/c\n");
    for (const path of ["a", "b/a", "b/c", "d/b/c"]) plant(`anchored/sub/${path}`);
    expect([...(await paths({ guard }, "anchored"))].filter((path) => /[ac]$/.test(path))).toEqual([
      "sub/b/a",
      "sub/d/b/c",
    ]);
  });

  it("end at the boundary", async () => {
    plant("bounded/.gitignore", "*\n");
    plant("bounded/inner/file");
    const inner = new PathGuard({ roots: [join(root, "bounded/inner")] });
    expect([...(await paths({ guard: inner }))]).toEqual(["file"]);
    expect([...(await paths({ guard }, "bounded/inner"))]).toEqual([]);
  });

  it("start anew in a repository inside a repository", async () => {
    plant("outer/.git/");
    plant("outer/.gitignore", "*.log\n");
    plant("outer/inner/.git", "gitdir: elsewhere");
    plant("outer/inner/a.log");
    expect([...(await paths({ guard }, "outer"))]).toEqual([".gitignore", "inner/", "inner/a.log"]);
  });

  it("hide .git itself, and nothing at all when they are not wanted", async () => {
    plant("off/.git/config");
    plant("off/.gitignore", "dist\n");
    plant("off/dist/file");
    expect([...(await paths({ guard }, "off"))]).toEqual([".gitignore"]);
    expect([...(await paths({ guard }, "off", { respectIgnore: false }))]).toEqual([
      ".git/",
      ".gitignore",
      "dist/",
      ".git/config",
      "dist/file",
    ]);
  });

  it("say nothing of a start that was named, only of what is below", async () => {
    plant("named/.gitignore", "node_modules/\n*.map\n");
    plant("named/node_modules/a/index.js");
    plant("named/node_modules/a/index.map");
    expect([...(await paths({ guard }, "named/node_modules"))]).toEqual(["a/", "a/index.js"]);
  });

  it("are not read through links, from directories, or from files of unreasonable size", async () => {
    plant("odd/rules", "*\n");
    for (const name of ["linked", "directory", "large"]) plant(`odd/${name}/file`);
    symlinkSync("../rules", join(root, "odd/linked/.gitignore"));
    mkdirSync(join(root, "odd/directory/.gitignore"));
    plant("odd/large/.gitignore", "file\n".repeat(100_000));
    expect([...(await paths({ guard }, "odd"))].filter((path) => path.endsWith("/file"))).toEqual([
      "directory/file",
      "large/file",
      "linked/file",
    ]);
  });

  // A repository brings its rules along: they must not hold up whoever lists it.
  it.each([
    ["spaces", `a${" ".repeat(60_000)}b`],
    ["brackets", `a/${"[".repeat(60_000)}`],
    ["names of classes", `a/${"[:".repeat(30_000)}`],
    ["names of classes before an end", `${"[:".repeat(30_000)}x]`],
    ["short lines of brackets", `a/${"[".repeat(4000)}\n`.repeat(15)],
    ["short lines of names of classes", `a/${"[:".repeat(2000)}\n`.repeat(15)],
  ])("take no longer for %s that were made to take long", async (name, lines) => {
    plant(`slow ${name}/.gitignore`, `${lines}\nhidden${" ".repeat(1000)}\n`);
    for (const file of ["hidden", "shown"]) plant(`slow ${name}/${file}`);
    const started = process.cpuUsage();
    expect([...(await paths({ guard }, `slow ${name}`))]).toEqual([".gitignore", "shown"]);
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });

  it("count from the innermost outwards, up to as many as can be tried in time", async () => {
    const slow = `*${"a".repeat(120)}b*\n`.repeat(500);
    const depth = 12;
    for (let level = 0; level < depth; level += 1)
      plant(`heavy/${"d/".repeat(level)}.gitignore`, `${slow}outer\n`);
    const inner = `heavy/${"d/".repeat(depth)}`;
    plant(`${inner}.gitignore`, "inner\n");
    for (const name of ["inner", "outer", "a".repeat(240)]) plant(`${inner}${name}`);
    expect([...(await paths({ guard }, inner))]).toEqual([".gitignore", "a".repeat(240)]);
  });

  it("count what they hide", async () => {
    plant("counted/.gitignore", "a\nb/\n");
    for (const path of ["a", "b/1", "b/2", "c"]) plant(`counted/${path}`);
    expect((await paths({ guard }, "counted")).result.ignored).toBe(2);
  });
});
