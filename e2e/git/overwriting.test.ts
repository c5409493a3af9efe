import { rmSync } from "node:fs";
import { join } from "node:path";

import { type Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openBranches } from "./branches.ts";
import { PREDICTS, stateOf } from "./program.ts";

describe("uncommitted changes", () => {
  const ROWS: readonly (readonly [tool: string, args: Fields])[] = [
    ["git_merge", { target: "forward" }],
    ["git_merge", { target: "easy" }],
    ["git_rebase", { target: "easy" }],
    ["git_cherry_pick", { revisions: ["easy"] }],
    ["git_revert", { revisions: ["HEAD"] }],
  ];
  it.each(ROWS)("refuse %s %j when tried as when done", async (tool, args) => {
    const { plain, fails } = await openBranches();
    plain.git("switch", "-qc", "forward");
    plain.commit("forward", { "b.txt": "forward\n" });
    plain.git("switch", "-q", "main");
    const file = tool === "git_merge" && args["target"] === "forward" ? "b.txt" : "a.txt";
    plain.write(file, "mine\n");
    // Only a revert or a move forward changes the file; the others mind what is staged.
    if (tool === "git_cherry_pick" || args["target"] === "easy") plain.git("add", file);
    const before = plain.git("status", "--porcelain");
    for (const dry of [true, false]) {
      const refused = await fails(tool, { ...args, dry_run: dry });
      expect(refused, refused.text).toMatchObject({ code: "conflict" });
      expect(refused.text).toContain("Uncommitted changes would be overwritten");
      expect(refused.hint).toContain("git_stash");
    }
    expect(plain.git("status", "--porcelain")).toBe(before);
  });

  it("keep their line ends where a merge is refused", async () => {
    const { plain, read, fails } = await openBranches();
    plain.git("config", "core.autocrlf", "true");
    plain.write("a.txt", "staged\n");
    plain.git("add", "a.txt");
    plain.write("b.txt", "mine\n");
    await fails("git_merge", { target: "easy" });
    expect(read("b.txt")).toBe("mine\n");
  });

  it("elsewhere stay staged where a branch ahead is squashed", async () => {
    const { plain, works } = await openBranches();
    plain.git("switch", "-qc", "forward");
    plain.commit("forward", { "c.txt": "c\n" });
    plain.git("switch", "-q", "main");
    plain.write("b.txt", "mine\n");
    plain.git("add", "b.txt");
    for (const dry of [true, false]) {
      const squashed = await works("git_merge", { target: "forward", mode: "squash", dry_run: dry });
      expect(squashed).toMatchObject({ outcome: "done" });
    }
    expect(plain.git("status", "--porcelain")).toBe("M  b.txt\nA  c.txt");
  });

  it("that only delete a file let a merge write it", async () => {
    const { plain, works, read } = await openBranches();
    rmSync(join(plain.root, "a.txt"));
    expect(await works("git_merge", { target: "topic", dry_run: true })).toMatchObject({
      outcome: "stopped",
    });
    expect(await works("git_merge", { target: "topic" })).toMatchObject({ outcome: "stopped" });
    expect(read("a.txt")).toContain("ZWEI");
  });

  it("elsewhere let a pick through", async () => {
    const { plain, works } = await openBranches();
    plain.write("b.txt", "mine\n");
    for (const dry of [true, false]) await works("git_cherry_pick", { revisions: "easy", dry_run: dry });
    plain.git("add", "b.txt");
    for (const dry of [true, false])
      await works("git_revert", { revisions: ["HEAD"], no_commit: true, dry_run: dry });
    expect(plain.git("status", "--porcelain")).toBe("M  b.txt\nD  c.txt");
  });

  it("in the way of the second of several commits keep the first from being applied", async () => {
    const { plain, works, fails } = await openBranches();
    plain.git("switch", "-q", "easy");
    plain.commit("b", { "b.txt": "easy\n" });
    plain.git("switch", "-q", "main");
    plain.write("b.txt", "mine\n");
    const head = plain.git("rev-parse", "HEAD");
    const args = { revisions: ["easy~1", "easy"] };
    for (const dry of [true, false])
      expect((await fails("git_cherry_pick", { ...args, dry_run: dry })).code).toBe("conflict");
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    // Nobody has looked before plain git has begun.
    expect(() => plain.git("cherry-pick", "easy~1", "easy")).toThrow("git cherry-pick");
    expect(await works("git_status")).toMatchObject({ operation: "cherry-pick" });
    const refused = await fails("git_continue_or_abort", { action: "continue" });
    expect(refused.text).toContain("could not begin with the next commit");
    await works("git_continue_or_abort", { action: "abort" });
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(plain.git("status", "--porcelain")).toBe(" M b.txt");
  });
});

describe("conflicts that are left", () => {
  it("refuse what git would refuse, when tried as when done", async () => {
    const { plain, fails } = await openBranches();
    plain.write("b.txt", "aside\n");
    plain.git("stash", "-q");
    plain.commit("other", { "b.txt": "other\n" });
    expect(() => plain.git("stash", "pop")).toThrow("git stash");
    const before = stateOf(plain);
    const rows: readonly (readonly [string, Fields])[] = [
      ["git_stash", { action: "pop" }],
      ["git_stash", { action: "push" }],
      ["git_merge", { target: "easy" }],
      ["git_rebase", { target: "easy" }],
      ["git_cherry_pick", { revisions: ["easy"] }],
      ["git_checkout", { branch_name: "easy" }],
      ["git_restore", { files: ["."] }],
      ["git_reset", { mode: "soft", target: "HEAD~1" }],
    ];
    for (const [tool, args] of rows) {
      for (const dry of [true, false]) {
        const refused = await fails(tool, { ...args, dry_run: dry });
        expect(refused.text, tool).toContain('There are conflicts in "b.txt"');
      }
    }
    expect(stateOf(plain)).toBe(before);
    expect(plain.git("stash", "list")).not.toBe("");
  });
});

it("line ends that git would not take are no reason against a backup", async () => {
  const { plain, read, works } = await openBranches();
  plain.git("config", "core.autocrlf", "input");
  plain.git("config", "core.safecrlf", "true");
  plain.write("b.txt", "mine\r\n");
  await works("git_reset", { mode: "hard" });
  expect(read("b.txt")).toBe("b\n");
});

describe("what git is told to take for unchanged", () => {
  it("is named, and brought back", async () => {
    const { plain, read, works } = await openBranches();
    plain.git("update-index", "--assume-unchanged", "b.txt");
    plain.write("a.txt", "mine\n");
    plain.write("b.txt", "my settings\n");
    const rows: readonly (readonly [string, Fields])[] = [
      ["git_restore", { files: ["."] }],
      ["git_reset", { mode: "hard" }],
      ["git_stash", { action: "push" }],
    ];
    for (const [tool, args] of rows) {
      const tried = await works(tool, { ...args, dry_run: true });
      expect(tried["would_change"], tool).toEqual(["a.txt", "b.txt"]);
      const done = await works(tool, { ...args });
      expect(done["changed"], tool).toEqual(["a.txt", "b.txt"]);
      expect(read("b.txt"), tool).toBe("b\n");
      await works("git_undo", { id: done["undo"] as string });
      expect(read("b.txt"), tool).toBe("my settings\n");
      expect(plain.git("ls-files", "-v", "b.txt"), tool).toBe("h b.txt");
    }
    expect(plain.git("show", "stash:b.txt")).toBe("my settings");
    // One that is only added goes with the stash.
    plain.write("new.txt", "new\n");
    plain.git("add", "new.txt");
    plain.git("update-index", "--assume-unchanged", "new.txt");
    plain.write("new.txt", "newer\n");
    await works("git_stash", { action: "push" });
    expect(plain.git("ls-files", "-v", "b.txt", "new.txt")).toBe("h b.txt");
    // What git is to do without it spares, except here.
    plain.git("update-index", "--no-assume-unchanged", "b.txt");
    plain.commit("another b", { "b.txt": "another\n" });
    plain.git("update-index", "--skip-worktree", "b.txt");
    plain.write("b.txt", "my settings\n");
    const args = { files: ["b.txt"], source: "HEAD~1" };
    const { undo: id } = await works("git_restore", args);
    expect(read("b.txt")).toBe("b\n");
    await works("git_undo", { id: id as string });
    expect(read("b.txt")).toBe("my settings\n");
  });

  it("is not reset when a rebase is given up", async () => {
    const { plain, read, works, fails } = await openBranches();
    plain.git("update-index", "--assume-unchanged", "b.txt");
    await works("git_rebase", { target: "topic" });
    plain.write("b.txt", "my settings\n");
    const refused = await fails("git_continue_or_abort", { action: "abort" });
    expect(refused).toMatchObject({ code: "conflict", details: { files: ["b.txt"] } });
    expect(read("b.txt")).toBe("my settings\n");
  });
});

describe("what somebody staged while an operation had stopped", () => {
  it.each([
    ["git_merge", { target: "topic" }],
    ["git_rebase", { target: "topic" }],
    ["git_cherry_pick", { revisions: ["topic"] }],
    ["git_revert", { revisions: ["HEAD~1"] }],
  ] as const)("is not lost when %s is given up", async (tool, args) => {
    const { plain, works, fails } = await openBranches();
    plain.commit("later", { "a.txt": "one\nDEUX\nthree\nfour\nfive\nsix\nNOW\n" });
    expect(await works(tool, { ...args })).toMatchObject({ outcome: "stopped" });
    plain.write("b.txt", "mine\n");
    plain.git("add", "b.txt");
    const abort = { action: "abort" };
    for (const dry of [true, false]) {
      const refused = await fails("git_continue_or_abort", { ...abort, dry_run: dry });
      expect(refused).toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("git_restore") as unknown,
      });
      expect(refused.text).toContain("b.txt");
    }
    expect(plain.git("show", ":b.txt")).toBe("mine");
    await works("git_resolve_conflict", { path: "a.txt", use: "theirs" });
    await works("git_restore", { files: ["b.txt"], staged: true, worktree: true });
    // What the operation itself has brought, and what was resolved, is what is given up.
    await works("git_continue_or_abort", abort);
    expect(plain.git("status", "--porcelain")).toBe("");
  });

  it("is told from what the operation brought to a file of another name", async () => {
    const { plain, call, works } = await openBranches();
    plain.git("switch", "-q", "topic");
    plain.commit("b, too", { "b.txt": "b\nand more\n" });
    plain.git("switch", "-q", "main");
    plain.git("mv", "b.txt", "renamed.txt");
    plain.git("commit", "-qm", "rename");
    await works("git_merge", { target: "topic" });
    expect(plain.git("diff", "--cached", "--name-only", "--diff-filter=M")).toBe("renamed.txt");
    const { result } = await call("git_continue_or_abort", { action: "abort" });
    // Without a prediction it is anybody's.
    expect(result?.["isError"] ?? false).toBe(!PREDICTS);
  });
});
