import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { Children, PathGuard } from "@suite/server-kit/domain";
import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";

import { Git } from "../../../src/domain/git/git.ts";
import { RepositoryCall } from "../../../src/domain/git/repository-call.ts";
import { readBlame } from "../../../src/domain/reading/blame.ts";
import { readDiff } from "../../../src/domain/reading/diff.ts";
import { listFiles, readFileAt } from "../../../src/domain/reading/files.ts";
import { readLog } from "../../../src/domain/reading/history.ts";
import { listHunks, toPatch } from "../../../src/domain/reading/hunks.ts";
import { readStatus } from "../../../src/domain/reading/status.ts";
import { openRepository } from "../../../src/domain/repository/repository.ts";

const places: string[] = [];
const children = new Children();
afterAll(async () => {
  await children.dispose();
  places.forEach((place) => rmSync(place, { recursive: true, maxRetries: 20 }));
});

const ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@b.c",
};

/** What can happen to a repository, in an order that nobody thought of. */
type Step =
  | readonly ["write", string, string]
  | readonly ["delete", string]
  | readonly ["stage"]
  | readonly ["commit", string]
  | readonly ["branch", string];

const path = fc.constantFrom("a", "b", "dir/c", "dir/d e", "ü", 'q"q', "x\ty");
const text = fc
  .array(fc.constantFrom("one\n", "two\n", "three\n", "no end", "é\r\n", "\u0000"), { maxLength: 8 })
  .map((lines) => lines.join(""));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant("write" as const), path, text) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("delete" as const), path) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("stage" as const)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("commit" as const), fc.constantFrom("subject", "ümlaut", "two\n\nlines")),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant("branch" as const), fc.constantFrom("main", "other", "third")),
  },
);

function play(root: string, steps: readonly Step[]): void {
  const git = (...args: string[]): void =>
    void execFileSync("git", args, { cwd: root, env: ENV, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "root");
  for (const [kind, first = "", second = ""] of steps) {
    try {
      if (kind === "write") {
        mkdirSync(dirname(join(root, first)), { recursive: true });
        writeFileSync(join(root, first), second);
      } else if (kind === "delete") unlinkSync(join(root, first));
      else if (kind === "stage") git("add", "-A");
      else if (kind === "commit") git("commit", "-q", "-am", first);
      else git("switch", "-q", "-C", first);
    } catch {
      // Nothing to delete, nothing to commit.
    }
  }
}

it("results are those of git's plumbing, over repositories that nobody thought of", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "suite-plumbing-")));
      places.push(root);
      play(root, steps);
      const plain = (...args: string[]): Buffer =>
        execFileSync("git", args, { cwd: root, env: ENV, maxBuffer: 2 ** 26 });
      const guard = new PathGuard({ roots: [root] });
      const git = new Git({ env: ENV, trusted: false, signs: false, pid: process.pid }, children);
      const repository = openRepository(guard, root, { trusted: false });
      const call = new RepositoryCall(git, guard, repository, new AbortController().signal);

      const status = await readStatus(call, { untracked: "all" });
      const names = (...args: string[]): readonly string[] =>
        plain(...args, "-z")
          .toString()
          .split("\0")
          .filter((name) => name !== "");
      expect(status.staged.map((file) => file.path).toSorted()).toEqual(
        toShown(names("diff-index", "--cached", "-M", "--name-only", "HEAD")),
      );
      expect(status.unstaged.map((file) => file.path).toSorted()).toEqual(
        toShown(names("diff-files", "--name-only")),
      );
      expect([...status.untracked].toSorted()).toEqual(
        toShown(names("ls-files", "--others", "--exclude-standard")),
      );

      const log = await readLog(call, { max_count: 100, all: true });
      expect(log.map(({ commit }) => commit).toSorted()).toEqual(
        plain("rev-list", "--all").toString().trim().split("\n").toSorted(),
      );

      const limits = { budget: 1_000_000 };
      const unstaged = await readDiff(call, "unstaged", {}, limits);
      expect(unstaged.diff).toBe(plain("-c", "core.quotePath=false", "diff").toString().replace(/\n$/, ""));
      const patch = toPatch((await listHunks(call, "unstaged", undefined)).hunks, "unstaged");
      // All hunks together are all text changes: they lead from the index to the work tree.
      if (patch.length > 1)
        execFileSync("git", ["apply", "--cached", "--check", "-"], { cwd: root, env: ENV, input: patch });

      for (const file of await listFiles(call, { revision: "HEAD" })) {
        const read = await readFileAt(call, { revision: "HEAD", path: file.path, most: 1_000_000 });
        expect(read.bytes.equals(plain("cat-file", "blob", read.oid))).toBe(true);
        if (read.size === 0 || read.bytes.includes(0)) continue;
        const { groups } = await readBlame(call, { path: file.path, revision: "HEAD" });
        const lines = read.bytes.toString().replace(/\n$/, "").split("\n");
        expect(groups.flatMap((group) => group.lines)).toEqual(lines);
      }
    }),
    { numRuns: 15 },
  );
});

/** Tabs are escaped, and what begins with a quote is quoted. */
const toShown = (names: readonly string[]): readonly string[] =>
  names.map((name) => name.replaceAll("\t", "\\u{9}")).toSorted();
