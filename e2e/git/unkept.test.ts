import { rmSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { failureOf, openGit, Plain, resultOf, stateOf } from "./program.ts";

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
