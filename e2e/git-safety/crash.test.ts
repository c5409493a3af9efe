import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createHistory } from "../git/history.ts";
import { fail, openGit, PATIENCE_MS, type Plain, use } from "../git/program.ts";
import type { Fields } from "../support/message.ts";
import { until } from "../support/processes.ts";

const WRITERS: readonly (readonly [tool: string, args: Fields])[] = [
  ["git_add", { files: ["."] }],
  ["git_commit", { message: "crash", files: ["."] }],
  ["git_reset", { mode: "hard", target: "v1" }],
  ["git_restore", { files: ["."], source: "feature", staged: true, worktree: true }],
  ["git_create_branch", { branch_name: "crash", base_branch: "v1", checkout: true }],
  ["git_checkout", { branch_name: "feature" }],
];

/** Enough to do that a kill comes in the middle. */
function createBusy(): Plain {
  const plain = createHistory();
  for (let at = 0; at < 400; at += 1) plain.write(`busy/${at}.txt`, `${at}\n`.repeat(200));
  return plain;
}

const findLocks = (plain: Plain): readonly string[] =>
  readdirSync(join(plain.root, ".git"), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".lock"));

describe("a server that is killed in the middle of a write", () => {
  it.each(WRITERS)(
    "%s leaves a sound repository, and nothing that stops the next one",
    { timeout: 4 * PATIENCE_MS },
    async (tool, args) => {
      const plain = createBusy();
      for (const delay of [15, 40, 80]) {
        const wire = await openGit([plain.root]);
        await use(wire, "git_status");
        void wire.request("tools/call", { name: tool, arguments: args }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, delay));
        process.kill(wire.pid ?? 0, "SIGKILL");
        await wire.exited;
      }
      const next = await openGit([plain.root]);
      await use(next, "git_status");
      await until(() => findLocks(plain).length === 0, "the locks to be cleared");
      expect(plain.git("fsck", "--no-dangling", "--strict")).toBe("");
      const { operations } = await use<{ operations: { interrupted?: true }[] }>(next, "git_undo");
      // Where a write had begun, what there was before is there; and the next write works.
      expect(
        plain
          .git("for-each-ref", "refs/suite/undo")
          .split("\n")
          .filter((line) => line !== ""),
      ).toHaveLength(operations.length);
      plain.write("after.txt", "after\n");
      await use(next, "git_commit", { message: "after the crash", files: ["after.txt"] });
      expect(plain.git("log", "-1", "--format=%s")).toBe("after the crash");
    },
  );

  it("has its own locks removed, and those of others left", async () => {
    const plain = createHistory();
    const suite = join(plain.root, ".git", "suite");
    mkdirSync(suite, { recursive: true });
    const lock = join(plain.root, ".git", "index.lock");
    writeFileSync(lock, "");
    const wire = await openGit([plain.root]);
    plain.write("a.txt", "changed\n");
    const refused = await fail(wire, "git_add", { files: ["a.txt"] });
    expect(refused).toMatchObject({ code: "unavailable", retryAfterMs: 1000 });
    expect(existsSync(lock)).toBe(true);
    // As a killed server leaves it: nobody has this number.
    writeFileSync(
      join(suite, "writing.json"),
      JSON.stringify({ pid: 2 ** 22 + 1, started: Date.now() - 1000, gits: [] }),
    );
    await use(wire, "git_add", { files: ["a.txt"] });
    expect(existsSync(lock)).toBe(false);
    expect(existsSync(join(suite, "writing.json"))).toBe(false);
  });

  it("can be taken back by force, since nobody knows what it did", async () => {
    const plain = createHistory();
    const wire = await openGit([plain.root]);
    plain.write("a.txt", "precious\n");
    const { undo_id: id } = await use(wire, "git_reset", { mode: "hard", target: "v1" });
    // The journal as it was before the write had ended.
    const ref = `refs/suite/undo/${String(id)}`;
    const entry = JSON.parse(plain.git("cat-file", "blob", `${ref}:entry.json`)) as Fields;
    delete entry["after"];
    const file = join(plain.root, ".git", "entry.json");
    writeFileSync(file, JSON.stringify(entry));
    const blob = plain.git("hash-object", "-w", file);
    plain.git("update-index", "--add", "--cacheinfo", `100644,${blob},entry.json`);
    const tree = plain.git("write-tree");
    plain.git("update-ref", ref, plain.git("commit-tree", tree, "-m", "interrupted"));
    plain.git("reset", "-q");
    expect(await fail(wire, "git_undo", { id })).toMatchObject({ code: "conflict" });
    await use(wire, "git_undo", { id, force: true });
    expect(plain.git("diff", "--stat", "HEAD", "--", "a.txt")).toContain("a.txt");
    expect(plain.git("log", "-1", "--format=%s")).toBe("odd files");
  });
});
