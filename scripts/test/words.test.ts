import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { checkWords } from "../words.mjs";
import { type Tree, writeTree } from "./tree.ts";

function check(tree: Tree): ReturnType<typeof checkWords> {
  const root = writeTree(tree);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  return checkWords(root);
}

// Written in pieces, for this file is checked as well.
const forbidden = [
  ["", "work", "main"].join("/"),
  ["", "root", "project"].join("/"),
  ["", "tmp", "spec"].join("/"),
  ["..", "shared"].join("/"),
  ["tarball", " https://example.org"].join(":"),
];

it.each(forbidden)("finds %s", (words) => {
  const { problems } = check({ "docs/a.md": `fine\nsee ${words}/x\n`, "b.md": "fine" });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^docs\/a\.md:2: /);
});

it("passes other words, and leaves ignored files alone", () => {
  const tree = {
    ".gitignore": "dist/",
    "a.md": "src/work/a.ts, ./work/, shared",
    "dist/a.md": String(forbidden),
  };
  expect(check(tree)).toEqual({ files: 2, problems: [] });
});

it("fails when it sees no files", () => {
  expect(check({}).problems).toEqual(["no files to check"]);
});
