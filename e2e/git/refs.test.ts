import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { Plain, PREDICTS } from "./program.ts";

describe("branches, stashes, tags and work trees", () => {
  it("names and makes branches as git does, beside others and tags of such names", async () => {
    const { plain, works, fails } = await openBranches();
    plain.git("branch", "grün");
    plain.git("branch", "v1");
    plain.git("tag", "v1");
    plain.write(".git/message", Buffer.from("Gr\u00fc\u00dfe", "latin1"));
    plain.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-F", ".git/message");
    const { branches } = await works<{ branches: { name: string }[] }>("git_branch");
    expect(branches.map(({ name }) => name).toSorted()).toEqual(["easy", "grün", "main", "topic", "v1"]);
    for (const dry of [true, false]) {
      for (const name of ["topic/x", "v1"]) {
        const create = { branch_name: name, dry_run: dry };
        expect(await fails("git_create_branch", create)).toMatchObject({ code: "conflict" });
      }
      const tag = await fails("git_tag", { name: "v1/x", dry_run: dry });
      expect(tag).toMatchObject({ code: "conflict" });
      expect(tag.text).toContain('The tag "v1" exists already');
    }
    plain.git("tag", "v2");
    for (const name of ["HEAD", "v2"]) {
      plain.git("update-ref", `refs/remotes/origin/${name}`, "easy");
      const moved = await works("git_checkout", { branch_name: name });
      expect(moved).toMatchObject({ detached: true, commit: plain.git("rev-parse", "--short=10", "main") });
    }
    // What is only no longer tracked is not in the way of where it was.
    plain.git("rm", "-q", "--cached", "b.txt");
    for (const dry of [true, false])
      await works("git_checkout", { branch_name: "new", create: true, dry_run: dry });
    expect(plain.git("status", "--porcelain")).toBe("D  b.txt\n?? b.txt");
  });

  it("deletes branches that are merged, others by force, and brings them back", async () => {
    const { plain, works, fails } = await openBranches();
    expect((await fails("git_delete_branch", { branch_name: "main" })).code).toBe("conflict");
    const kept = await fails("git_delete_branch", { branch_name: "topic" });
    expect(kept.hint).toContain("force: true");
    const was = plain.git("rev-parse", "topic");
    const gone = await works("git_delete_branch", { branch_name: "topic", force: true });
    expect(plain.git("branch", "--list", "topic")).toBe("");
    await works("git_undo", { id: gone["undo"] as string });
    expect(plain.git("rev-parse", "topic")).toBe(was);
  });

  it("puts changes aside and brings them back, untracked ones too", async () => {
    const { plain, call, works, fails } = await openBranches();
    plain.write("b.txt", "changed\n");
    plain.write("new.txt", "new\n");
    const push = { action: "push", include_untracked: true, message: "aside" };
    expect(await works("git_stash", { ...push, dry_run: true })).toMatchObject({
      would_change: ["b.txt", "new.txt"],
    });
    expect(textOf(await call("git_stash", push))).toMatch(/^Stashed 2 files \(undo/);
    expect(plain.git("status", "--porcelain")).toBe("");
    const popped = await works("git_stash", { action: "pop" });
    expect(popped).toMatchObject({ changed: ["b.txt", "new.txt"] });
    expect(plain.git("status", "--porcelain")).toBe(" M b.txt\n?? new.txt");
    expect(await fails("git_stash", { action: "pop" })).toMatchObject({
      code: "not_found",
      hint: "git_stash_list shows what is stashed.",
    });
  });

  it("stages again what was staged, or says that it could not, and counts stashes", async () => {
    const { plain, call, works } = await openBranches();
    const aside = async (): Promise<Fields> => {
      plain.write("b.txt", "staged\n");
      plain.git("add", "b.txt");
      plain.write("b.txt", "changed\n");
      return works("git_stash", { action: "push" });
    };
    await aside();
    expect(await works("git_status")).toMatchObject({ stashes: 1 });
    expect(textOf(await call("git_status"))).toContain("1 stash put aside with git_stash");
    expect(await works("git_stash", { action: "pop" })).not.toHaveProperty("unstaged");
    expect(plain.git("status", "--porcelain")).toBe("MM b.txt");
    expect(plain.git("show", ":b.txt")).toBe("staged");
    plain.git("reset", "-q", "--hard");
    await aside();
    plain.write("a.txt", "own\n");
    plain.git("add", "a.txt");
    const popped = await works("git_stash", { action: "pop" });
    expect(popped).toMatchObject({
      unstaged: true,
      note: expect.stringContaining("What was staged is not staged again") as unknown,
    });
    expect(plain.git("status", "--porcelain")).toBe("M  a.txt\n M b.txt");
  });

  it("stashes no repository that lies in the work tree, and nothing while the index is locked", async () => {
    const { plain, works, fails } = await openBranches();
    Plain.init(join(plain.root, "nested")).commit("nested", { file: "nested\n" });
    const push = { action: "push", include_untracked: true };
    expect(await fails("git_stash", push)).toMatchObject({ code: "precondition_failed" });
    plain.write("new.txt", "new\n");
    const lock = join(plain.root, ".git", "index.lock");
    writeFileSync(lock, "");
    const locked = await fails("git_stash", push);
    expect(locked).toMatchObject({ code: "unavailable" });
    expect(locked.text).toContain("The index is locked");
    rmSync(lock);
    expect(await works("git_stash", push)).toMatchObject({ changed: ["new.txt"] });
  });

  it("leaves what was untracked in the stash when the stash is undone", async () => {
    const { plain, read, works } = await openBranches();
    plain.write("b.txt", "changed\n");
    plain.write("new.txt", "new\n");
    const pushed = await works("git_stash", { action: "push", include_untracked: true });
    await works("git_undo", { id: pushed["undo"] as string });
    expect(read("b.txt")).toBe("changed\n");
    expect(plain.git("status", "--porcelain")).toBe(" M b.txt");
    expect(plain.git("show", "stash^3:new.txt")).toBe("new");
  });

  it.each(["drop", "pop"])("puts a stash back in its place when its %s is undone", async (action) => {
    const { plain, works, fails } = await openBranches();
    for (const text of ["oldest", "middle", "latest"]) {
      plain.write("b.txt", `${text}\n`);
      await works("git_stash", { action: "push", message: text });
    }
    const state = (): string => plain.git("stash", "list", "--format=%H %gs") + plain.git("diff");
    const before = state();
    const taken = await works("git_stash", { action, stash: 1 });
    const after = state();
    expect(after).not.toContain("middle\n");
    // Nothing but the entry that git_undo keeps names it now.
    plain.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "HEAD");
    plain.git("gc", "-q", "--prune=now");
    expect(await works("git_undo", { id: "last", dry_run: true })).toMatchObject({
      undone: { id: taken["undo"] },
      would_change: action === "drop" ? ["stashes"] : ["work tree", "stashes"],
    });
    const undone = await works("git_undo", { id: "last" });
    expect(state()).toBe(before);
    await works("git_undo", { id: undone["undo"] as string });
    expect(state()).toBe(after);
    plain.git("stash", "clear");
    expect((await fails("git_undo", { id: taken["undo"] as string })).text).toContain("stashes");
  });

  it.each(["drop", "pop"])("applies a stash again after %s, by its commit", async (action) => {
    const { plain, read, works } = await openBranches("--no-undo");
    plain.write("b.txt", "changed\n");
    await works("git_stash", { action: "push" });
    const dropped = await works("git_stash", { action, stash: 0 });
    expect(dropped["note"]).toContain(`git_stash action apply stash "${String(dropped["commit"])}"`);
    plain.git("checkout", "-q", "b.txt");
    expect(plain.git("stash", "list")).toBe("");
    await works("git_stash", { action: "apply", stash: dropped["commit"] as string });
    expect(read("b.txt")).toBe("changed\n");
  });

  it("keeps a stash that does not go together with what is there", async () => {
    const { plain, works, fails } = await openBranches();
    plain.write("b.txt", "aside\n");
    await works("git_stash", { action: "push" });
    plain.write("b.txt", "other\n");
    for (const dry of [true, false]) {
      const refused = await fails("git_stash", { action: "pop", dry_run: dry });
      expect(refused.text).toContain("Uncommitted changes would be overwritten");
    }
    plain.git("add", "b.txt");
    expect(await works("git_stash", { action: "pop", dry_run: true })).toMatchObject(
      PREDICTS ? { conflicts: [{ path: "b.txt" }] } : { would_change: ["b.txt"] },
    );
    const stopped = await works("git_stash", { action: "pop" });
    expect(stopped).toMatchObject({ conflicts: [{ path: "b.txt" }] });
    expect(plain.git("stash", "list")).not.toBe("");
  });

  it("says where a stash could not be brought back", async () => {
    const { plain, read, works, fails } = await openBranches();
    plain.write("new.txt", "new\n");
    await works("git_stash", { action: "push", include_untracked: true });
    plain.write("new.txt", "other\n");
    const pop = { action: "pop" };
    expect((await fails("git_stash", pop)).text).toContain(
      'Untracked files would be overwritten, such as "new.txt"',
    );
    plain.commit("tracked since", { "new.txt": "other\n" });
    expect((await fails("git_stash", pop)).text).toContain("git stash");
    expect(read("new.txt")).toBe("other\n");
    expect(plain.git("stash", "list")).not.toBe("");
  });

  it("makes and deletes tags", async () => {
    const { plain, works, fails } = await openBranches();
    await works("git_tag", { name: "v1", message: "The first\n\nof all" });
    expect(plain.git("tag", "-n9", "-l", "v1")).toContain("of all");
    expect((await fails("git_tag", { name: "v1" })).code).toBe("conflict");
    expect((await fails("git_tag", { name: "-x" })).code).toBe("invalid_input");
    expect((await fails("git_tag", { name: "v2", message: "a\0b" })).code).toBe("invalid_input");
    const gone = await works("git_tag", { name: "v1", action: "delete" });
    await works("git_undo", { id: gone["undo"] as string });
    expect(plain.git("cat-file", "-t", "v1")).toBe("tag");
    plain.git("tag", "-a", "-m", "outer", "outer", "v1");
    plain.git("tag", "tree", "HEAD^{tree}");
    const { tags } = await works<{ tags: { name: string; commit?: string }[] }>("git_tags");
    const head = plain.git("rev-parse", "--short=10", "HEAD");
    expect(Object.fromEntries(tags.map(({ name, commit }) => [name, commit]))).toStrictEqual({
      outer: head,
      tree: undefined,
      v1: head,
    });
    expect(await works("git_tag", { name: "tree", action: "delete" })).not.toHaveProperty("commit");
    expect(plain.git("tag", "--list", "tree")).toBe("");
  });

  it("lists branches and tags with subjects of any length, cut between characters", async () => {
    const { plain, works } = await openBranches();
    const subject = `ab${"€".repeat(1_000_000)}`;
    plain.write(".git/message", subject);
    plain.git("commit", "-q", "--allow-empty", "-F", ".git/message");
    plain.git("tag", "-a", "-F", ".git/message", "v0");
    // Together more than git may print in one answer.
    for (let at = 1; at < 25; at += 1) {
      plain.git("branch", `long-${at}`);
      plain.git("update-ref", `refs/tags/v${at}`, "refs/tags/v0");
    }
    const { branches } = await works<{ branches: { subject: string }[] }>("git_branch");
    const { tags } = await works<{ tags: { subject: string }[] }>("git_tags");
    expect([branches.length, tags.length]).toEqual([27, 25]);
    const long = branches.filter((branch) => branch.subject.startsWith("ab€"));
    const subjects = [...long, ...tags].map((ref) => ref.subject);
    expect(subjects).toEqual(Array.from({ length: 50 }, () => `${subject.slice(0, 1000)}…`));
  });

  it("adds and removes work trees inside the boundary only", async () => {
    const { plain, works, fails } = await openBranches();
    const name = "repository-tree";
    // As all paths, relative to the repository.
    const path = `../${name}`;
    const tree = join(dirname(plain.root), name);
    await works("git_worktree", { action: "add", path, new_branch: "second", branch: "easy" });
    expect(existsSync(join(tree, "c.txt"))).toBe(true);
    expect(await works("git_status", { repo_path: name })).toMatchObject({ branch: "second" });
    plain.git("worktree", "lock", tree);
    expect(await fails("git_worktree", { action: "remove", path, force: true })).toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("git worktree unlock") as unknown,
    });
    plain.git("worktree", "unlock", tree);
    const another = { action: "add", path: `${path}-2` };
    for (const dry of [true, false]) {
      for (const [tool, args, why] of [
        ["git_checkout", { branch_name: "second" }, "is checked out in another work tree"],
        ["git_delete_branch", { branch_name: "second", force: true }, "is checked out in another work tree"],
        ["git_worktree", { ...another, branch: "second" }, "is checked out in another work tree"],
        ["git_worktree", { ...another, new_branch: "topic" }, 'The branch "topic" exists already'],
      ] as const) {
        const refused = await fails(tool, { ...args, dry_run: dry });
        expect(refused.text).toContain(why);
      }
    }
    const outside = join(createPlace(), "x");
    expect((await fails("git_worktree", { action: "add", path: outside })).code).toBe("permission_denied");
    // A repository can say that anything is one of its work trees.
    plain.write(".git/worktrees/forged/gitdir", `${outside}/.git\n`);
    plain.write(".git/worktrees/forged/HEAD", "ref: refs/heads/main\n");
    plain.write(".git/worktrees/forged/commondir", "../..\n");
    expect(plain.git("worktree", "list")).toContain(outside);
    const { worktrees } = await works<{ worktrees: { path: string }[] }>("git_worktrees");
    expect(worktrees.map((found) => found.path)).toEqual([plain.root, tree]);
    await works("git_worktree", { action: "remove", path });
    expect(existsSync(tree)).toBe(false);
    const changed = [tree, `refs/heads/${name}`];
    const add = { action: "add", path };
    expect(await works("git_worktree", { ...add, dry_run: true })).toMatchObject({ would_change: changed });
    expect(await works("git_worktree", add)).toMatchObject({ changed });
    expect(plain.git("rev-parse", name)).toBe(plain.git("rev-parse", "HEAD"));
    await works("git_worktree", { action: "remove", path });
    expect(await works("git_worktree", add)).toMatchObject({ changed: [tree] });
    expect((await fails("git_worktree", { action: "remove", path: "." })).code).toBe("not_found");
  });
});
