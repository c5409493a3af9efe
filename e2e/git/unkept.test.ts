import { rmSync, truncateSync } from "node:fs";
import { join } from "node:path";

import { type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { failureOf, openGit, Plain, PREDICTS, resultOf, stateOf } from "./program.ts";

it("an ignored file is not overwritten at the end of an operation, however that ends", async () => {
  const { plain, read, works, fails } = await openBranches();
  const stays = async (action: string): Promise<void> => {
    const refused = await fails("git_continue_or_abort", { action });
    expect(refused.text, action).toContain('Untracked files would be overwritten, such as "x.log"');
    expect(read("x.log"), action).toBe("mine\n");
  };
  plain.write(".git/info/exclude", "*.log\n");
  plain.write("x.log", "x\n");
  plain.git("add", "-f", "x.log");
  plain.git("commit", "-qm", "x");
  await works("git_rebase", { target: "topic" });
  plain.write("x.log", "mine\n");
  await stays("abort");
  await stays("skip");
  await works("git_resolve_conflict", { path: "a.txt", use: "ours" });
  await stays("continue");
  rmSync(join(plain.root, "x.log"));
  await works("git_continue_or_abort", { action: "skip" });
  expect(read("x.log")).toBe("x\n");

  // The other side has removed it.
  plain.git("switch", "-qc", "without", "main");
  plain.git("rm", "-q", "x.log");
  plain.commit("without", { "a.txt": "without\n" });
  plain.git("switch", "-q", "main");
  plain.commit("with", { "a.txt": "with\n" });
  await works("git_merge", { target: "without" });
  plain.write("x.log", "mine\n");
  await stays("abort");
  rmSync(join(plain.root, "x.log"));
  await works("git_continue_or_abort", { action: "abort" });
  // The second of two commits brings it.
  plain.git("switch", "-q", "easy");
  expect(await works("git_cherry_pick", { revisions: ["main", "main~1"] })).toMatchObject({
    outcome: "stopped",
  });
  plain.write("x.log", "mine\n");
  await stays("skip");
  await works("git_continue_or_abort", { action: "abort" });
  rmSync(join(plain.root, "x.log"));

  plain.git("switch", "-q", "main");
  plain.git("bisect", "start", "-q");
  plain.git("checkout", "-q", "easy");
  plain.write("x.log", "mine\n");
  await stays("abort");
  rmSync(join(plain.root, "x.log"));
  await works("git_continue_or_abort", { action: "abort" });
  expect(plain.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
});

it("work in a submodule stays when a conflict about it is resolved", async () => {
  const { plain, read, works, fails } = await openBranches();
  Plain.init(join(plain.root, "sub")).commit("one", { "s.txt": "s\n" });
  plain.git("-c", "advice.addEmbeddedRepo=false", "add", "sub");
  plain.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
  plain.git("submodule", "absorbgitdirs");
  plain.commit("sub", {});
  plain.git("switch", "-qc", "without");
  plain.git("rm", "-q", "--cached", "sub");
  plain.git("commit", "-qm", "without");
  plain.git("switch", "-q", "main");
  new Plain(join(plain.root, "sub")).commit("two", { "s.txt": "s2\n" });
  plain.commit("sub again", {});
  expect(await works("git_merge", { target: "without" })).toMatchObject({ conflicts: [{ path: "sub" }] });
  plain.write("sub/s.txt", "mine\n");
  const refused = await fails("git_resolve_conflict", { path: "sub", text: "x" });
  expect(refused.text).toContain("Untracked files would be overwritten");
  await works("git_resolve_conflict", { path: "sub", use: "deleted" });
  expect(plain.git("ls-files", "sub")).toBe("");
  expect(read("sub/s.txt")).toBe("mine\n");
});

it("a work tree goes with what is hidden in it only by force", async () => {
  const { plain, read, works, fails } = await openBranches();
  const tree = new Plain(join(plain.root, "../tree"));
  plain.git("worktree", "add", "-q", "-b", "tree", tree.root);
  plain.git("config", "status.showUntrackedFiles", "no");
  const remove = { action: "remove", path: tree.root };
  const stays = async (path: string, content: string): Promise<void> => {
    tree.write(path, content);
    for (const dry of [true, false]) {
      const refused = await fails("git_worktree", { ...remove, dry_run: dry });
      expect(refused, path).toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("force") as unknown,
      });
      expect(refused.text).toContain(path);
    }
    expect(read(`../tree/${path}`)).toBe(content);
  };
  await stays("new.txt", "mine\n");
  rmSync(join(tree.root, "new.txt"));
  tree.git("update-index", "--assume-unchanged", "a.txt");
  await stays("a.txt", "mine\n");
  tree.git("update-index", "--no-assume-unchanged", "a.txt");
  tree.git("update-index", "--skip-worktree", "a.txt");
  await stays("a.txt", "still mine\n");
  await works("git_worktree", { ...remove, force: true });
});

it("an entry that git cannot stash is named, whatever else is stashed", async () => {
  const { plain, fails } = await openBranches();
  plain.write("b.txt", "mine\n");
  plain.write("new.txt", "new\n");
  plain.git("add", "--intent-to-add", "new.txt");
  const { code, text, hint } = await fails("git_stash", { action: "push", files: ["b.txt"] });
  expect({ code, hint }).toMatchObject({
    code: "precondition_failed",
    hint: expect.stringContaining("git_add") as unknown,
  });
  expect(text).toContain('"new.txt" was added with "git add --intent-to-add"');
});

it("a rebase that lacks an object of a partial clone leaves everything as it was", async () => {
  const hub = Plain.init();
  hub.git("config", "uploadpack.allowFilter", "true");
  hub.commit("base", { "a.txt": "a\n", "b.txt": "b\n" });
  hub.git("switch", "-qc", "other");
  hub.commit("other", { "b.txt": "other\n", "c.txt": "c\n" });
  hub.git("switch", "-q", "main");
  const plain = new Plain(createPlace());
  plain.git("clone", "-q", "--filter=blob:none", `file://${hub.root}`, ".");
  plain.commit("mine", { "a.txt": "mine\n" });
  const before = stateOf(plain);
  const wire = await openGit(["--all-tools", plain.root]);
  const refused = await failureOf(wire, "git_rebase", { target: "origin/other" });
  expect(refused).toMatchObject({
    code: "unsupported",
    hint: expect.stringContaining("full clone") as unknown,
  });
  expect(stateOf(plain)).toBe(before);
  expect(await resultOf(wire, "git_status")).not.toHaveProperty("operation");
});

describe("what no backup keeps", () => {
  it.runIf(PREDICTS)("is not overwritten where a new file follows a renamed directory", async () => {
    const { plain, read, fails } = await openBranches();
    plain.commit("old", { "old/one.txt": "one\n", "old/two.txt": "two\n" });
    plain.git("switch", "-qc", "feat");
    plain.commit("feat", { "old/x.log": "theirs\n" });
    plain.git("switch", "-q", "main");
    plain.git("mv", "old", "new");
    plain.commit("new", { ".gitignore": "*.log\n" });
    plain.write("new/x.log", "mine\n");
    for (const dry of [true, false]) {
      const refused = await fails("git_merge", { target: "feat", dry_run: dry });
      expect(refused.text).toContain('Untracked files would be overwritten, such as "new/x.log"');
    }
    expect(read("new/x.log")).toBe("mine\n");
  });

  it("is not overwritten where it is ignored", async () => {
    const { plain, read, works, fails } = await openBranches();
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
      const refused = await fails(tool, { ...args });
      expect(refused, tool).toMatchObject({ code: "conflict" });
      expect(refused.text, tool).toContain('Untracked files would be overwritten, such as "x.log"');
    }
    expect(read("x.log")).toBe("mine\n");
    rmSync(join(plain.root, "x.log"));
    const moved = await works("git_checkout", { branch_name: "feat~1" });
    await works("git_undo", { id: moved["undo"] as string });
    plain.write("x.log", "again\n");
    const { changes } = await works<{ changes: { id: string }[] }>("git_undo");
    expect((await fails("git_undo", { id: changes[0]?.id })).code).toBe("conflict");
    expect(read("x.log")).toBe("again\n");
  });

  it("is not overwritten by the steps that are left of an operation begun elsewhere", async () => {
    const { plain, read, fails } = await openBranches();
    plain.git("rm", "-q", "b.txt");
    plain.git("commit", "-q", "--amend", "-m", "mine");
    const mine = plain.commit("é\n\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n", {
      "é.txt": "theirs\n",
    });
    const mails = ["HEAD~1", "HEAD", "easy"].map((name) =>
      plain.bytes("format-patch", "--stdout", "-1", name),
    );
    plain.write(".git/mails", Buffer.concat(mails));
    plain.git("branch", "dead-code", "easy");
    plain.write(".git/info/exclude", "*.txt\n");
    for (const [begin, file, step = ""] of [
      [["rebase", "--apply", "topic"], "é.txt"],
      [["rebase", "--interactive", "topic"], "b.txt", "reset start"],
      [["rebase", "--interactive", "topic"], "b.txt", "t topic"],
      [["rebase", "--interactive", "topic"], "c.txt", "merge dead-code # Merge it"],
      [["am", ".git/mails"], "c.txt"],
    ] as const) {
      if (begin[0] === "am") plain.git("switch", "-q", "topic");
      const editor = `write() { printf 'label start\\npick ${mine}~1\\n${step}\\n' > "$1"; }; write`;
      const shown = `${begin.join(" ")} ${step}`;
      expect(() => plain.git("-c", `sequence.editor=${editor}`, ...begin), shown).toThrow("git -c");
      // However large a patch is.
      if (step === "") truncateSync(join(plain.root, ".git/rebase-apply/0002"), 2 ** 25);
      plain.write("a.txt", "resolved\n");
      plain.git("add", "a.txt");
      plain.write(file, "mine\n");
      for (const action of begin[0] === "am" ? ["continue"] : ["continue", "skip"]) {
        const refused = await fails("git_continue_or_abort", { action });
        expect(refused.text, shown).toContain(`Untracked files would be overwritten, such as "${file}"`);
      }
      expect(read(file)).toBe("mine\n");
      rmSync(join(plain.root, file));
      plain.git(begin[0], "--abort");
    }
  });

  it("is no reason to refuse a merge that does not write it", async () => {
    const { plain, read, works } = await openBranches();
    plain.git("rm", "-q", "--cached", "b.txt");
    plain.write(".gitignore", "b.txt\n");
    plain.commit("untracked from here on", {});
    await works("git_merge", { target: "easy" });
    expect(read("b.txt")).toBe("b\n");
  });

  it("is not removed where it took the place of a file", async () => {
    const { plain, read, fails } = await openBranches();
    rmSync(join(plain.root, "b.txt"));
    plain.write("b.txt/inner.txt", "mine\n");
    const rows: readonly (readonly [string, Fields])[] = [
      ["git_restore", { files: ["b.txt"] }],
      ["git_stash", { action: "push" }],
      ["git_reset", { mode: "hard" }],
    ];
    for (const [tool, args] of rows) {
      expect((await fails(tool, { ...args })).text, tool).toContain("b.txt/inner.txt");
      expect(read("b.txt/inner.txt"), tool).toBe("mine\n");
    }
  });

  it("is not reset when a rebase is given up, and the end of one is not offered to be undone", async () => {
    const { plain, call, read, works, fails } = await openBranches();
    await works("git_rebase", { target: "topic" });
    plain.write("b.txt", "mine\n");
    for (const action of ["abort", "skip"]) {
      const refused = await fails("git_continue_or_abort", { action });
      expect(refused).toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("git_restore") as unknown,
      });
      expect(refused.text).toContain("b.txt");
    }
    expect(read("b.txt")).toBe("mine\n");
    await works("git_restore", { files: ["b.txt"] });
    const tried = textOf(await call("git_continue_or_abort", { action: "abort", dry_run: true }));
    expect(tried).toContain("Would abort the rebase");
    expect(await works("git_continue_or_abort", { action: "abort" })).not.toHaveProperty("undo");
    expect(plain.git("status", "--porcelain")).toBe("");
  });
});
