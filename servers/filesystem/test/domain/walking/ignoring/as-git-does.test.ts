import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createScratch } from "../../reading/scratch.ts";
import { paths } from "../walks.ts";

const { root, guard } = createScratch();
const env = {
  PATH: process.env["PATH"],
  HOME: root,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};
// On Windows, what was started in a folder may hold it for long after its end.
const git = (...args: string[]): string =>
  execFileSync("git", ["-C", join(root, "work"), ...args], { env, encoding: "utf8" });

const NAMES = ["a", "b", "ab", "abc", "a.b", ".a", "#a", "!b", "a b", "a\\b", "[", "é"];
const directories = fc.array(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }), {
  maxLength: 12,
});

const PIECES = [
  ...Array.from("ab.*?/!#\\ ^[]-"),
  "**",
  "**/",
  "/**",
  "[ab]",
  "[!a]",
  "[^b]",
  "[a-c]",
  "[]a]",
  "[[:alpha:]]",
  "[[:foo:]]",
  "\\*",
  "\\ ",
  "*.b",
  "ab",
  "abc",
  "\r",
];
const pattern = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join(""))
  // Behind other characters git reads two stars in ways of its own, against its manual.
  .filter((text) => !/[^/]\*\*/.test(text));
const rules = fc.array(
  fc.oneof(
    pattern,
    pattern.map((text) => `!${text}`),
    fc.constantFrom(...NAMES),
  ),
  { maxLength: 6 },
);

interface Case {
  readonly files: readonly (readonly string[])[];
  readonly top: readonly string[];
  readonly nested: readonly string[];
  readonly exclude: readonly string[];
}

const work = join(root, "work");
mkdirSync(work);
git("init", "--quiet", ".");
mkdirSync(join(work, ".git/info"), { recursive: true });

function write({ files, top, nested, exclude }: Case): void {
  for (const name of readdirSync(work)) {
    if (name !== ".git") rmSync(join(work, name), { recursive: true });
  }
  writeFileSync(join(work, ".git/info/exclude"), exclude.join("\n"));
  for (const names of files) {
    try {
      mkdirSync(join(work, ...names.slice(0, -1)), { recursive: true });
      writeFileSync(join(work, ...names), "");
    } catch {
      // A file where another path needs a directory: then this one is left out.
    }
  }
  writeFileSync(join(work, ".gitignore"), top.join("\n"));
  mkdirSync(join(work, "sub"), { recursive: true });
  writeFileSync(join(work, "sub/.gitignore"), nested.join("\n"));
  for (const name of ["a", "ab", "a.b"]) writeFileSync(join(work, "sub", name), "");
}

const byGit = (): string[] =>
  git("ls-files", "--others", "--exclude-standard", "-z").split("\0").filter(Boolean).toSorted();

const byUs = async (): Promise<string[]> =>
  (await paths({ guard }, "work")).filter((path) => !path.endsWith("/")).toSorted();

describe("ignore rules", () => {
  it("hide what git hides, whatever the rules are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          files: directories,
          top: rules,
          nested: rules,
          exclude: fc.array(pattern, { maxLength: 2 }),
        }),
        async (given) => {
          write(given);
          expect(await byUs()).toEqual(byGit());
        },
      ),
      {
        numRuns: 50,
        examples: [[{ files: [["a", "x", "b"]], top: ["a/**\\/b"], nested: ["**\\/a"], exclude: [] }]],
      },
    );
  });
});
