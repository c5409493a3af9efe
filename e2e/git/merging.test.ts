import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { callTool, textOf } from "../support/calls.ts";
import type { Fields } from "../support/message.ts";
import type { Wire } from "../support/wire.ts";
import { createPlace, fail, openGit, Plain, PREDICTS, use } from "./program.ts";

/** Two branches that change the same line, and one that does not. */
function createRepository(root: string): Plain {
  const plain = Plain.init(root);
  plain.commit("base", { "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "b.txt": "b\n" });
  plain.git("switch", "-qc", "topic");
  plain.commit("topic", { "a.txt": "one\nZWEI\nthree\nfour\nfive\nsix\nSIEBEN\n" });
  plain.git("switch", "-qc", "easy", "main");
  plain.commit("easy", { "c.txt": "c\n" });
  plain.git("switch", "-q", "main");
  plain.commit("mine", { "a.txt": "one\nDEUX\nthree\nfour\nfive\nsix\nSEPT\n" });
  return plain;
}

const place = createPlace();
let wire: Wire;
let plain: Plain;
let number = 0;
let at: { repo_path: string };

beforeEach(async () => {
  wire = await openGit(["--all-tools", "--allow-dir", place]);
  const name = `r${(number += 1)}`;
  plain = createRepository(join(place, name));
  at = { repo_path: name };
});

const read = (path: string): string => readFileSync(join(plain.root, path), "utf8");

const lastUndo = async (): Promise<string | undefined> =>
  (await use<{ operations: { id: string }[] }>(wire, "git_undo", at)).operations[0]?.id;

describe("uncommitted changes", () => {
  const ROWS: readonly (readonly [tool: string, args: Fields])[] = [
    ["git_merge", { target: "forward" }],
    ["git_merge", { target: "easy" }],
    ["git_rebase", { target: "easy" }],
    ["git_cherry_pick", { revisions: ["easy"] }],
    ["git_revert", { revisions: ["HEAD"] }],
  ];
  it.each(ROWS)("refuse %s %j when tried as when done", async (tool, args) => {
    plain.git("switch", "-qc", "forward");
    plain.commit("forward", { "b.txt": "forward\n" });
    plain.git("switch", "-q", "main");
    const file = tool === "git_merge" && args["target"] === "forward" ? "b.txt" : "a.txt";
    plain.write(file, "mine\n");
    // Only a revert or a move forward changes the file; the others mind what is staged.
    if (tool === "git_cherry_pick" || args["target"] === "easy") plain.git("add", file);
    const before = plain.git("status", "--porcelain");
    for (const dry of [true, false]) {
      const refused = await fail(wire, tool, { ...at, ...args, dry_run: dry });
      expect(refused, refused.text).toMatchObject({ code: "conflict" });
      expect(refused.text).toContain("Uncommitted changes would be overwritten");
    }
    expect(plain.git("status", "--porcelain")).toBe(before);
  });

  it("elsewhere let a pick through", async () => {
    plain.write("b.txt", "mine\n");
    for (const dry of [true, false])
      await use(wire, "git_cherry_pick", { ...at, revisions: "easy", dry_run: dry });
    plain.git("add", "b.txt");
    for (const dry of [true, false])
      await use(wire, "git_revert", { ...at, revisions: ["HEAD"], no_commit: true, dry_run: dry });
    expect(plain.git("status", "--porcelain")).toBe("M  b.txt\nD  c.txt");
  });
});

describe("merging", () => {
  it("predicts what it then does", async () => {
    const head = plain.git("rev-parse", "HEAD");
    expect(await use(wire, "git_merge", { ...at, target: "easy", dry_run: true })).toMatchObject({
      dry_run: true,
      outcome: "done",
      would_change: ["c.txt"],
    });
    expect(await use(wire, "git_merge", { ...at, target: "topic", dry_run: true })).toMatchObject(
      PREDICTS
        ? { outcome: "stopped", conflicts: [{ path: "a.txt" }] }
        : {
            predicted: false,
            would_change: ["a.txt"],
            note: "Dry run: nothing was changed. Conflicts were not predicted: there may be some.",
          },
    );
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(plain.git("status", "--porcelain")).toBe("");
    const merged = await use(wire, "git_merge", { ...at, target: "easy" });
    expect(merged).toMatchObject({ outcome: "done", changed: ["c.txt"] });
    expect(plain.git("log", "-1", "--format=%s")).toBe("Merge easy");
    expect(await use(wire, "git_merge", { ...at, target: "easy" })).toMatchObject({ outcome: "up_to_date" });
    await use(wire, "git_undo", { ...at, id: merged["undo_id"] as string });
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(existsSync(join(plain.root, "c.txt"))).toBe(false);
  });

  it("stops at conflicts, shows them by region, and takes choices per region", async () => {
    const stopped = await use(wire, "git_merge", { ...at, target: "topic" });
    expect(stopped).toMatchObject({
      outcome: "stopped",
      conflicts: [{ path: "a.txt", kind: "both_modified" }],
    });
    expect(stopped["note"]).toContain("git_conflicts");
    plain.write("0.txt", "new\n");
    plain.git("add", "0.txt");
    expect(await use(wire, "git_list_hunks", { ...at, staged: true })).toMatchObject({
      hunks: [{ path: "0.txt", text: "+new" }],
      conflicts: 1,
      note: expect.stringMatching(/^1 file has conflicts, and so no hunks .* git_add\.$/) as unknown,
    });
    plain.git("rm", "-qf", "0.txt");
    expect(textOf(await callTool(wire, "git_list_hunks", at))).toMatch(/^No hunks\.\n1 file has conflicts/);
    expect((await fail(wire, "git_continue_or_abort", { ...at, action: "continue" })).code).toBe("conflict");
    const { files } = await use<{ files: unknown }>(wire, "git_conflicts", at);
    expect(files).toEqual([
      {
        path: "a.txt",
        kind: "both_modified",
        regions: [
          { region: 1, base: "two\n", ours: "DEUX\n", theirs: "ZWEI\n" },
          { region: 2, base: "seven\n", ours: "SEPT\n", theirs: "SIEBEN\n" },
        ],
      },
    ]);
    const half = { ...at, path: "a.txt", regions: [{ region: 1, use: "ours" }] };
    expect((await fail(wire, "git_resolve_conflict", half)).text).toContain("nothing is said of 2");
    const regions = [
      { region: 1, use: "both" },
      { region: 2, text: "7" },
    ];
    const resolved = await use(wire, "git_resolve_conflict", { ...at, path: "a.txt", regions });
    expect(resolved).toMatchObject({ remaining: 0, changed: ["a.txt"] });
    expect(read("a.txt")).toBe("one\nDEUX\nZWEI\nthree\nfour\nfive\nsix\n7\n");
    expect(plain.git("status", "--porcelain", "-uno")).toBe("M  a.txt");
    const ended = await use(wire, "git_continue_or_abort", { ...at, action: "continue" });
    expect(ended).toMatchObject({ operation: "merge", outcome: "done" });
    expect(plain.git("rev-list", "--parents", "-1", "HEAD").split(" ")).toHaveLength(3);
  });

  it("gives up without a trace", async () => {
    await use(wire, "git_merge", { ...at, target: "topic" });
    await use(wire, "git_continue_or_abort", { ...at, action: "abort" });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(read("a.txt")).toContain("DEUX");
    expect((await fail(wire, "git_continue_or_abort", { ...at, action: "abort" })).code).toBe(
      "precondition_failed",
    );
  });

  it("undoes a merge that stopped", async () => {
    const stopped = await use(wire, "git_merge", { ...at, target: "topic" });
    await use(wire, "git_undo", { ...at, id: stopped["undo_id"] as string });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(plain.root, ".git", "MERGE_HEAD"))).toBe(false);
  });

  it("refuses to merge over uncommitted changes", async () => {
    plain.write("a.txt", "mine alone\n");
    expect((await fail(wire, "git_merge", { ...at, target: "topic" })).code).toBe("conflict");
    expect(read("a.txt")).toBe("mine alone\n");
  });

  it.each(["ours", "theirs"] as const)("takes the whole of %s", async (side) => {
    await use(wire, "git_merge", { ...at, target: "topic" });
    await use(wire, "git_resolve_conflict", { ...at, path: "a.txt", use: side });
    expect(read("a.txt")).toContain(side === "ours" ? "DEUX" : "ZWEI");
    expect(plain.git("ls-files", "--unmerged")).toBe("");
  });

  it("settles a file that one side deleted, either way", async () => {
    plain.git("switch", "-q", "easy");
    plain.git("rm", "-q", "a.txt");
    plain.git("commit", "-qm", "gone");
    await use(wire, "git_merge", { ...at, target: "topic" });
    const { files } = await use<{ files: object[] }>(wire, "git_conflicts", at);
    expect(files).toEqual([{ path: "a.txt", kind: "deleted_by_us" }]);
    await use(wire, "git_resolve_conflict", { ...at, path: "a.txt", use: "deleted" });
    expect(existsSync(join(plain.root, "a.txt"))).toBe(false);
    await use(wire, "git_continue_or_abort", { ...at, action: "continue" });
    expect(plain.git("status", "--porcelain")).toBe("");
  });
});

describe("rebasing, picking and reverting", () => {
  it("rebases, and can be undone", async () => {
    const head = plain.git("rev-parse", "HEAD");
    expect(await use(wire, "git_rebase", { ...at, target: "easy", dry_run: true })).toMatchObject({
      outcome: "done",
      commits: 1,
    });
    const done = await use(wire, "git_rebase", { ...at, target: "easy" });
    expect(done).toMatchObject({ outcome: "done", commits: 1 });
    expect(plain.git("log", "--format=%s", "-3").split("\n")).toEqual(["mine", "easy", "base"]);
    await use(wire, "git_undo", { ...at, id: done["undo_id"] as string });
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(plain.git("status", "--porcelain")).toBe("");
  });

  it("predicts the conflict of a rebase, stops at it, and can leave the commit out", async () => {
    const call = { ...at, target: "topic" };
    expect(await use(wire, "git_rebase", { ...call, dry_run: true })).toMatchObject(
      PREDICTS ? { outcome: "stopped" } : { predicted: false },
    );
    expect(await use(wire, "git_rebase", call)).toMatchObject({ outcome: "stopped" });
    expect((await fail(wire, "git_merge", { ...at, target: "easy" })).code).toBe("precondition_failed");
    await use(wire, "git_continue_or_abort", { ...at, action: "skip" });
    expect(plain.git("rev-parse", "HEAD")).toBe(plain.git("rev-parse", "topic"));
  });

  it("picks commits, and says where one brings nothing", async () => {
    expect(await use(wire, "git_cherry_pick", { ...at, revisions: ["easy"], dry_run: true })).toMatchObject({
      outcome: "done",
      would_change: ["c.txt"],
    });
    expect(await use(wire, "git_cherry_pick", { ...at, revisions: ["easy"] })).toMatchObject({
      outcome: "done",
      changed: ["c.txt"],
    });
    const twice = { ...at, revisions: ["easy"] };
    const again = await fail(wire, "git_cherry_pick", twice);
    expect(again).toMatchObject({ code: "conflict" });
    await use(wire, "git_cherry_pick", { ...twice, no_commit: true, dry_run: true });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(plain.root, ".git", "CHERRY_PICK_HEAD"))).toBe(false);
  });

  it.runIf(PREDICTS)(
    "predicts that what brings nothing is refused, unless nothing is committed",
    async () => {
      await use(wire, "git_cherry_pick", { ...at, revisions: ["easy"] });
      for (const [tool, revision] of [
        ["git_cherry_pick", "easy"],
        ["git_revert", "HEAD~1"],
      ] as const) {
        if (tool === "git_revert") await use(wire, tool, { ...at, revisions: ["HEAD"] });
        const call = { ...at, revisions: [revision] };
        const refused = await fail(wire, tool, call);
        expect(refused.text).toContain("changes nothing here");
        expect(await fail(wire, tool, { ...call, dry_run: true })).toEqual(refused);
        await use(wire, tool, { ...call, dry_run: true, no_commit: true });
      }
    },
  );

  it("reverts, once, and asks for the side of a merge", async () => {
    await use(wire, "git_revert", { ...at, revisions: ["HEAD"] });
    expect(read("a.txt")).toContain("two\n");
    // Git's own words are others where there is an untracked file.
    plain.write("untracked.txt", "x\n");
    const again = await fail(wire, "git_revert", { ...at, revisions: ["HEAD~1"] });
    expect(again.text).toMatch(/changes nothing here, so none is reverted\n.* reverted already/);
    await use(wire, "git_merge", { ...at, target: "easy" });
    expect((await fail(wire, "git_revert", { ...at, revisions: ["HEAD"] })).hint).toContain("mainline: 1");
    await use(wire, "git_revert", { ...at, revisions: ["HEAD"], mainline: 1 });
    expect(existsSync(join(plain.root, "c.txt"))).toBe(false);
  });
});

describe("what no backup keeps", () => {
  it("is not overwritten where it is ignored", async () => {
    plain.git("switch", "-qc", "feat");
    plain.commit("feat", { "x.log": "theirs\n" });
    plain.git("rm", "-q", "x.log");
    const gone = plain.commit("gone", {});
    plain.git("switch", "-qc", "here", "main");
    plain.commit("ignore", { ".gitignore": "*.log\n" });
    plain.write("x.log", "mine\n");
    const rows: readonly (readonly [string, Fields])[] = [
      ["git_checkout", { branch_name: "feat~1" }],
      ["git_merge", { target: "feat~1" }],
      ["git_cherry_pick", { revisions: ["feat~1"] }],
      ["git_revert", { revisions: [gone] }],
      ["git_rebase", { target: "feat~1" }],
      ["git_reset", { mode: "hard", target: "feat~1" }],
      ["git_restore", { files: ["x.log"], source: "feat~1" }],
    ];
    for (const [tool, args] of rows) {
      const refused = await fail(wire, tool, { ...at, ...args });
      expect(refused, tool).toMatchObject({ code: "conflict" });
      expect(refused.text, tool).toContain('Untracked files would be overwritten, such as "x.log"');
    }
    expect(read("x.log")).toBe("mine\n");
    rmSync(join(plain.root, "x.log"));
    const moved = await use(wire, "git_checkout", { ...at, branch_name: "feat~1" });
    await use(wire, "git_undo", { ...at, id: moved["undo_id"] as string });
    plain.write("x.log", "again\n");
    expect((await fail(wire, "git_undo", { ...at, id: await lastUndo() })).code).toBe("conflict");
    expect(read("x.log")).toBe("again\n");
  });

  it("is no reason to refuse a merge that does not write it", async () => {
    plain.git("rm", "-q", "--cached", "b.txt");
    plain.write(".gitignore", "b.txt\n");
    plain.commit("untracked from here on", {});
    await use(wire, "git_merge", { ...at, target: "easy" });
    expect(read("b.txt")).toBe("b\n");
  });

  it("is not removed where it took the place of a file", async () => {
    rmSync(join(plain.root, "b.txt"));
    plain.write("b.txt/inner.txt", "mine\n");
    const rows: readonly (readonly [string, Fields])[] = [
      ["git_restore", { files: ["b.txt"] }],
      ["git_stash", { action: "push" }],
      ["git_reset", { mode: "hard" }],
    ];
    for (const [tool, args] of rows) {
      expect((await fail(wire, tool, { ...at, ...args })).text, tool).toContain("b.txt/inner.txt");
      expect(read("b.txt/inner.txt"), tool).toBe("mine\n");
    }
  });

  it("is not reset when a rebase is given up, and the end of one is not offered to be undone", async () => {
    await use(wire, "git_rebase", { ...at, target: "topic" });
    plain.write("b.txt", "mine\n");
    for (const action of ["abort", "skip"]) {
      const refused = await fail(wire, "git_continue_or_abort", { ...at, action });
      expect(refused).toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("git_restore") as unknown,
      });
      expect(refused.text).toContain("b.txt");
    }
    expect(read("b.txt")).toBe("mine\n");
    await use(wire, "git_restore", { ...at, files: ["b.txt"] });
    const tried = textOf(
      await callTool(wire, "git_continue_or_abort", { ...at, action: "abort", dry_run: true }),
    );
    expect(tried).toContain("Would abort the rebase");
    expect(await use(wire, "git_continue_or_abort", { ...at, action: "abort" })).not.toHaveProperty(
      "undo_id",
    );
    expect(plain.git("status", "--porcelain")).toBe("");
  });
});

describe("what somebody staged while an operation had stopped", () => {
  it.each([
    ["git_merge", { target: "topic" }],
    ["git_rebase", { target: "topic" }],
    ["git_cherry_pick", { revisions: ["topic"] }],
    ["git_revert", { revisions: ["HEAD~1"] }],
  ] as const)("is not lost when %s is given up", async (tool, args) => {
    plain.commit("later", { "a.txt": "one\nDEUX\nthree\nfour\nfive\nsix\nNOW\n" });
    expect(await use(wire, tool, { ...at, ...args })).toMatchObject({ outcome: "stopped" });
    plain.write("b.txt", "mine\n");
    plain.git("add", "b.txt");
    const abort = { ...at, action: "abort" };
    for (const dry of [true, false]) {
      const refused = await fail(wire, "git_continue_or_abort", { ...abort, dry_run: dry });
      expect(refused).toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("git_restore") as unknown,
      });
      expect(refused.text).toContain("b.txt");
    }
    expect(plain.git("show", ":b.txt")).toBe("mine");
    await use(wire, "git_resolve_conflict", { ...at, path: "a.txt", use: "theirs" });
    await use(wire, "git_restore", { ...at, files: ["b.txt"], staged: true, worktree: true });
    // What the operation itself has brought, and what was resolved, is what is given up.
    await use(wire, "git_continue_or_abort", abort);
    expect(plain.git("status", "--porcelain")).toBe("");
  });

  it("is told from what the operation brought to a file of another name", async () => {
    plain.git("switch", "-q", "topic");
    plain.commit("b, too", { "b.txt": "b\nand more\n" });
    plain.git("switch", "-q", "main");
    plain.git("mv", "b.txt", "renamed.txt");
    plain.git("commit", "-qm", "rename");
    await use(wire, "git_merge", { ...at, target: "topic" });
    expect(plain.git("diff", "--cached", "--name-only", "--diff-filter=M")).toBe("renamed.txt");
    const abort = { ...at, action: "abort" };
    const { result } = await callTool(wire, "git_continue_or_abort", abort);
    // Without a prediction it is anybody's.
    expect(result?.["isError"] ?? false).toBe(!PREDICTS);
  });
});

describe("branches, stashes, tags and work trees", () => {
  it("deletes branches that are merged, others by force, and brings them back", async () => {
    expect((await fail(wire, "git_delete_branch", { ...at, branch_name: "main" })).code).toBe("conflict");
    const kept = await fail(wire, "git_delete_branch", { ...at, branch_name: "topic" });
    expect(kept.hint).toContain("force: true");
    const was = plain.git("rev-parse", "topic");
    const gone = await use(wire, "git_delete_branch", { ...at, branch_name: "topic", force: true });
    expect(plain.git("branch", "--list", "topic")).toBe("");
    await use(wire, "git_undo", { ...at, id: gone["undo_id"] as string });
    expect(plain.git("rev-parse", "topic")).toBe(was);
  });

  it("puts changes aside and brings them back, untracked ones too", async () => {
    plain.write("b.txt", "changed\n");
    plain.write("new.txt", "new\n");
    const call = { ...at, action: "push", include_untracked: true, message: "aside" };
    expect(await use(wire, "git_stash", { ...call, dry_run: true })).toMatchObject({
      would_change: ["b.txt", "new.txt"],
    });
    expect(textOf(await callTool(wire, "git_stash", call))).toMatch(/^Stashed 2 files \(undo/);
    expect(plain.git("status", "--porcelain")).toBe("");
    const popped = await use(wire, "git_stash", { ...at, action: "pop" });
    expect(popped).toMatchObject({ changed: ["b.txt", "new.txt"] });
    expect(plain.git("status", "--porcelain")).toBe(" M b.txt\n?? new.txt");
    expect(await fail(wire, "git_stash", { ...at, action: "pop" })).toMatchObject({
      code: "not_found",
      hint: "git_stash_list shows what is stashed.",
    });
  });

  it.each(["drop", "pop"])("applies a stash again after %s, by its commit", async (action) => {
    plain.write("b.txt", "changed\n");
    await use(wire, "git_stash", { ...at, action: "push" });
    const dropped = await use(wire, "git_stash", { ...at, action, stash: 0 });
    expect(dropped["note"]).toContain(`git_stash action apply stash "${String(dropped["commit"])}"`);
    expect(dropped).not.toHaveProperty("undo_id");
    plain.git("checkout", "-q", "b.txt");
    expect(plain.git("stash", "list")).toBe("");
    await use(wire, "git_stash", { ...at, action: "apply", stash: dropped["commit"] as string });
    expect(read("b.txt")).toBe("changed\n");
  });

  it("keeps a stash that does not go together with what is there", async () => {
    plain.write("b.txt", "aside\n");
    await use(wire, "git_stash", { ...at, action: "push" });
    plain.commit("other", { "b.txt": "other\n" });
    expect(await use(wire, "git_stash", { ...at, action: "pop", dry_run: true })).toMatchObject(
      PREDICTS ? { conflicts: [{ path: "b.txt" }] } : { would_change: ["b.txt"] },
    );
    const stopped = await use(wire, "git_stash", { ...at, action: "pop" });
    expect(stopped).toMatchObject({ conflicts: [{ path: "b.txt" }] });
    expect(plain.git("stash", "list")).not.toBe("");
  });

  it("says where a stash could not be brought back", async () => {
    plain.write("new.txt", "new\n");
    await use(wire, "git_stash", { ...at, action: "push", include_untracked: true });
    plain.write("new.txt", "other\n");
    const pop = { ...at, action: "pop" };
    expect((await fail(wire, "git_stash", pop)).text).toContain(
      'Untracked files would be overwritten, such as "new.txt"',
    );
    plain.commit("tracked since", { "new.txt": "other\n" });
    expect((await fail(wire, "git_stash", pop)).text).toContain("git stash");
    expect(read("new.txt")).toBe("other\n");
    expect(plain.git("stash", "list")).not.toBe("");
  });

  it("makes and deletes tags", async () => {
    await use(wire, "git_tag", { ...at, name: "v1", message: "The first\n\nof all" });
    expect(plain.git("tag", "-n9", "-l", "v1")).toContain("of all");
    expect((await fail(wire, "git_tag", { ...at, name: "v1" })).code).toBe("conflict");
    expect((await fail(wire, "git_tag", { ...at, name: "-x" })).code).toBe("invalid_input");
    const gone = await use(wire, "git_tag", { ...at, name: "v1", action: "delete" });
    await use(wire, "git_undo", { ...at, id: gone["undo_id"] as string });
    expect(plain.git("cat-file", "-t", "v1")).toBe("tag");
  });

  it("adds and removes work trees inside the boundary only", async () => {
    const path = `${at.repo_path}-tree`;
    await use(wire, "git_worktree", { ...at, action: "add", path, new_branch: "second", branch: "easy" });
    expect(existsSync(join(place, path, "c.txt"))).toBe(true);
    expect(await use(wire, "git_status", { repo_path: path })).toMatchObject({ branch: "second" });
    const outside = join(createPlace(), "x");
    expect((await fail(wire, "git_worktree", { ...at, action: "add", path: outside })).code).toBe(
      "permission_denied",
    );
    // A repository can say that anything is one of its work trees.
    plain.write(".git/worktrees/forged/gitdir", `${outside}/.git\n`);
    plain.write(".git/worktrees/forged/HEAD", "ref: refs/heads/main\n");
    plain.write(".git/worktrees/forged/commondir", "../..\n");
    expect(plain.git("worktree", "list")).toContain(outside);
    const { worktrees } = await use<{ worktrees: { path: string }[] }>(wire, "git_worktrees", at);
    expect(worktrees.map((tree) => tree.path)).toEqual([plain.root, join(place, path)]);
    await use(wire, "git_worktree", { ...at, action: "remove", path });
    expect(existsSync(join(place, path))).toBe(false);
    expect((await fail(wire, "git_worktree", { ...at, action: "remove", path: at.repo_path })).code).toBe(
      "not_found",
    );
  });
});
