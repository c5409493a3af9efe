import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";

import { createScratch } from "../../reading/scratch.ts";
import { paths } from "../walks.ts";

const { root, guard, write } = createScratch();

describe("ignore rules", () => {
  it("come from all directories above, up to the repository's top", async () => {
    write("above/.gitignore", "*.far\n");
    write("above/repository/.git/info/exclude", "*.own\n");
    write("above/repository/.gitignore", "/deep/er/anchored\n*.top\n!kept.own\n");
    for (const name of ["a.far", "a.own", "a.top", "anchored", "kept.own", "file"]) {
      write(`above/repository/deep/er/${name}`);
    }
    expect([...(await paths({ guard }, "above/repository/deep/er"))]).toEqual(["a.far", "file", "kept.own"]);
    expect([...(await paths({ guard }, "above/repository/deep"))].slice(1)).toEqual([
      "er/a.far",
      "er/file",
      "er/kept.own",
    ]);
  });

  it("count paths from their own directory on", async () => {
    write("anchored/sub/.gitignore", "/a\nb/c\n");
    for (const path of ["a", "b/a", "b/c", "d/b/c"]) write(`anchored/sub/${path}`);
    expect([...(await paths({ guard }, "anchored"))].filter((path) => /[ac]$/.test(path))).toEqual([
      "sub/b/a",
      "sub/d/b/c",
    ]);
  });

  it("end at the boundary", async () => {
    write("bounded/.gitignore", "*\n");
    write("bounded/inner/file");
    const inner = new PathGuard({ roots: [join(root, "bounded/inner")] });
    expect([...(await paths({ guard: inner }))]).toEqual(["file"]);
    expect([...(await paths({ guard }, "bounded/inner"))]).toEqual([]);
  });

  it("start anew in a repository inside a repository", async () => {
    write("outer/.git/");
    write("outer/.gitignore", "*.log\n");
    write("outer/inner/.git", "gitdir: elsewhere");
    write("outer/inner/a.log");
    expect([...(await paths({ guard }, "outer"))]).toEqual([".gitignore", "inner/", "inner/a.log"]);
  });

  it("hide .git itself, and nothing at all when they are not wanted", async () => {
    write("off/.git/config");
    write("off/.gitignore", "dist\n");
    write("off/dist/file");
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
    write("named/.gitignore", "node_modules/\n*.map\n");
    write("named/node_modules/a/index.js");
    write("named/node_modules/a/index.map");
    expect([...(await paths({ guard }, "named/node_modules"))]).toEqual(["a/", "a/index.js"]);
  });

  needs(it, "symbolic links")(
    "are not read through links, from directories, or from files of unreasonable size",
    async () => {
      write("odd/rules", "*\n");
      for (const name of ["linked", "directory", "large"]) write(`odd/${name}/file`);
      symlinkSync("../rules", join(root, "odd/linked/.gitignore"));
      mkdirSync(join(root, "odd/directory/.gitignore"));
      write("odd/large/.gitignore", "file\n".repeat(100_000));
      expect([...(await paths({ guard }, "odd"))].filter((path) => path.endsWith("/file"))).toEqual([
        "directory/file",
        "large/file",
        "linked/file",
      ]);
    },
  );

  // A repository brings its rules along: they must not hold up whoever lists it.
  it.each([
    ["spaces", `a${" ".repeat(60_000)}b`],
    ["brackets", `a/${"[".repeat(60_000)}`],
    ["names of classes", `a/${"[:".repeat(30_000)}`],
    ["names of classes before an end", `${"[:".repeat(30_000)}x]`],
    ["short lines of brackets", `a/${"[".repeat(4000)}\n`.repeat(15)],
    ["short lines of names of classes", `a/${"[:".repeat(2000)}\n`.repeat(15)],
  ])("take no longer for %s that were made to take long", async (name, lines) => {
    write(`slow ${name}/.gitignore`, `${lines}\nhidden${" ".repeat(1000)}\n`);
    for (const file of ["hidden", "shown"]) write(`slow ${name}/${file}`);
    const started = process.cpuUsage();
    expect([...(await paths({ guard }, `slow ${name}`))]).toEqual([".gitignore", "shown"]);
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });

  it("count from the innermost outwards, up to as many as can be tried in time", async () => {
    const slow = `*${"a".repeat(120)}b*\n`.repeat(500);
    const depth = 12;
    for (let level = 0; level < depth; level += 1)
      write(`heavy/${"d/".repeat(level)}.gitignore`, `${slow}outer\n`);
    const inner = `heavy/${"d/".repeat(depth)}`;
    write(`${inner}.gitignore`, "inner\n");
    for (const name of ["inner", "outer", "a".repeat(240)]) write(`${inner}${name}`);
    expect([...(await paths({ guard }, inner))]).toEqual([".gitignore", "a".repeat(240)]);
  });

  it("count what they hide", async () => {
    write("counted/.gitignore", "a\nb/\n");
    for (const path of ["a", "b/1", "b/2", "c"]) write(`counted/${path}`);
    expect((await paths({ guard }, "counted")).result.ignored).toBe(2);
  });
});
