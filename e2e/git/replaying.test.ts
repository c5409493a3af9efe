import { existsSync } from "node:fs";
import { join } from "node:path";

import { textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openBranches } from "./branches.ts";
import { PREDICTS } from "./program.ts";

describe("rebasing, picking and reverting", () => {
  it("rebases, and can be undone", async () => {
    const { plain, works } = await openBranches();
    const head = plain.git("rev-parse", "HEAD");
    expect(await works("git_rebase", { target: "easy", dry_run: true })).toMatchObject({
      outcome: "done",
      commits: 1,
    });
    const done = await works("git_rebase", { target: "easy" });
    expect(done).toMatchObject({ outcome: "done", commits: 1 });
    expect(plain.git("log", "--format=%s", "-3").split("\n")).toEqual(["mine", "easy", "base"]);
    await works("git_undo", { id: done["undo"] as string });
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(plain.git("status", "--porcelain")).toBe("");
  });

  it("predicts the conflict of a rebase, stops at it, and can leave the commit out", async () => {
    const { plain, works, fails } = await openBranches();
    const call = { target: "topic" };
    expect(await works("git_rebase", { ...call, dry_run: true })).toMatchObject(
      PREDICTS ? { outcome: "stopped" } : { predicted: false },
    );
    expect(await works("git_rebase", call)).toMatchObject({ outcome: "stopped" });
    expect((await fails("git_merge", { target: "easy" })).code).toBe("precondition_failed");
    const removed = await fails("git_delete_branch", { branch_name: "main", force: true });
    expect(removed.text).toContain("a rebase or bisect there will return to it");
    await works("git_continue_or_abort", { action: "skip" });
    expect(plain.git("rev-parse", "HEAD")).toBe(plain.git("rev-parse", "topic"));
  });

  it("goes on with a rebase once nothing is unstaged", async () => {
    const { plain, works, fails } = await openBranches();
    await works("git_rebase", { target: "topic" });
    await works("git_resolve_conflict", { path: "a.txt", use: "theirs" });
    plain.write("b.txt", "mine\n");
    for (const dry of [true, false]) {
      const refused = await fails("git_continue_or_abort", { action: "continue", dry_run: dry });
      expect(refused.text).toMatch(
        /unstaged changes, such as those of "b\.txt"\nStage .* git_stash and keep_index/,
      );
    }
    await works("git_stash", { action: "push", keep_index: true });
    expect(await works("git_continue_or_abort", { action: "continue" })).toMatchObject({ outcome: "done" });
  });

  it("keeps messages byte for byte when it goes on after conflicts", async () => {
    const { plain, works } = await openBranches();
    const bytes = `one  \n\n\n\n# ${"-".repeat(24)} >8 ${"-".repeat(24)}\n#text`;
    const amend = ["commit", "-q", "--amend", "--cleanup=verbatim", "-m"];
    plain.git(...amend, `#18 mine\n\n${bytes}`);
    plain.commit("next", { "d.txt": "d\n" });
    plain.git(...amend, `#20 next\n\n${bytes}`);
    plain.git("switch", "-q", "topic");
    plain.git(...amend, `#17 topic\n\n${bytes}`);
    plain.git("switch", "-q", "main");
    const head = plain.git("rev-parse", "HEAD");
    const goOn = async (text: string): Promise<void> => {
      await works("git_resolve_conflict", { path: "a.txt", text });
      await works("git_continue_or_abort", { action: "continue" });
    };
    const messages = (): string => plain.git("log", "-2", "--reverse", "--format=%B|", "--first-parent");
    const rebased = `#18 mine\n\n${bytes}\n|\n#20 next\n\n${bytes}\n|`;
    for (const [tool, args, message] of [
      ["git_merge", { target: "topic", message: "#19 merge" }, "#19 merge\n|"],
      ["git_cherry_pick", { revisions: ["topic"] }, `#17 topic\n\n${bytes}\n|`],
      ["git_rebase", { target: "topic" }, rebased],
    ] as const) {
      await works(tool, { ...args });
      await goOn(`${tool}\n`);
      expect(messages().endsWith(message), `${tool}: ${messages()}`).toBe(true);
      plain.git("reset", "-q", "--hard", head);
    }
    // Begun by somebody else.
    plain.git("config", "commit.cleanup", "scissors");
    expect(() => plain.git("merge", "-q", "-m", "#21 theirs", "topic")).toThrow("git merge");
    await goOn("merged\n");
    expect(messages()).toMatch(/\n#21 theirs\n\|$/);
  });

  it("leaves the comments of git itself out of a message, and goes on to a commit without one", async () => {
    const { plain, read, works } = await openBranches();
    plain.git("switch", "-q", "easy");
    plain.git("commit", "-q", "--amend", "--allow-empty-message", "-m", "");
    plain.git("switch", "-q", "main");
    plain.commit("later", { "a.txt": "later\n" });
    const head = plain.git("rev-parse", "HEAD");
    plain.git("tag", "-a", "--cleanup=verbatim", "-m", "release\n\n#17 fixed", "v1", "topic");
    const signature = "# -----BEGIN PGP SIGNATURE-----\n#\n# gpg: made today\n\n";
    for (const [begin, comments, message] of [
      [["merge", "-q", "v1"], "", "Merge tag 'v1'\n\nrelease\n\n#17 fixed"],
      [["merge", "-q", "-m", "Release 1", "v1"], signature, "Release 1"],
      [["merge", "-q", "-m", "Merge topic", "topic"], "# By Bob\n# Via Eve\n", "Merge topic"],
      [["revert", "HEAD~1"], "# *** SAY WHY ***\n\n", 'Revert "mine"\n\nThis reverts commit'],
      [["cherry-pick", "topic", "easy"], "", ""],
    ] as const) {
      expect(() => plain.git(...begin), message).toThrow(`git ${begin[0]}`);
      plain.write(".git/MERGE_MSG", read(".git/MERGE_MSG").replace("# Conflicts", `${comments}# Conflicts`));
      await works("git_resolve_conflict", { path: "a.txt", content: "resolved\n" });
      await works("git_continue_or_abort", { action: "continue" });
      const written = plain.git("log", "-1", "--format=%B");
      expect(written.slice(0, message.length || undefined)).toBe(message);
      expect(written).not.toContain("# ");
      plain.git("reset", "-q", "--hard", head);
    }
  });

  it("says where nothing is left of a message, which a rebase with commits to squash takes for comments", async () => {
    const { plain, works, fails } = await openBranches();
    plain.git("commit", "-q", "--amend", "-m", "#18 mine");
    plain.commit("next", { "d.txt": "d\n" });
    const squash = "sequence.editor=sed -i.old 2s/^pick/squash/";
    expect(() => plain.git("-c", squash, "rebase", "-qi", "topic")).toThrow("git -c");
    await works("git_resolve_conflict", { path: "a.txt", use: "theirs" });
    const next = { action: "continue" };
    expect((await fails("git_continue_or_abort", next)).text).toContain("The commit message would be empty");
    await works("git_commit", { message: "#18 mine" });
    await works("git_continue_or_abort", next);
    expect(plain.git("log", "-1", "--format=%B")).toBe("next");
  });

  it("is not done where a rebase has stopped for an edit", async () => {
    const { plain, call, works } = await openBranches();
    plain.commit("more", { "d.txt": "d\n" });
    plain.git("-c", "sequence.editor=sed -i.old s/^pick/edit/", "rebase", "-qi", "HEAD~2");
    const next = { action: "continue" };
    const stopped = await call("git_continue_or_abort", next);
    expect(stopped.result?.["structuredContent"]).toMatchObject({ outcome: "stopped", changed: ["d.txt"] });
    expect(textOf(stopped)).toContain("Stopped on the way");
    expect(await works("git_continue_or_abort", next)).toMatchObject({ outcome: "done" });
  });

  it("picks commits, and says where one brings nothing", async () => {
    const { plain, works, fails } = await openBranches();
    expect(await works("git_cherry_pick", { revisions: ["easy"], dry_run: true })).toMatchObject({
      outcome: "done",
      would_change: ["c.txt"],
    });
    expect(await works("git_cherry_pick", { revisions: ["easy"] })).toMatchObject({
      outcome: "done",
      changed: ["c.txt"],
    });
    const twice = { revisions: ["easy"] };
    const again = await fails("git_cherry_pick", twice);
    expect(again).toMatchObject({ code: "conflict" });
    await works("git_cherry_pick", { ...twice, no_commit: true, dry_run: true });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(plain.root, ".git", "CHERRY_PICK_HEAD"))).toBe(false);
  });

  it.runIf(PREDICTS)("predicts what is added to what is staged", async () => {
    const { plain, works } = await openBranches();
    plain.write("c.txt", "staged\n");
    plain.git("add", "c.txt");
    const call = { revisions: ["easy"], no_commit: true };
    const stopped = { outcome: "stopped", conflicts: [{ path: "c.txt" }] };
    expect(await works("git_cherry_pick", { ...call, dry_run: true })).toMatchObject(stopped);
    expect(await works("git_cherry_pick", call)).toMatchObject(stopped);
  });

  it.runIf(PREDICTS)(
    "predicts that what brings nothing is refused, unless nothing is committed",
    async () => {
      const { works, fails } = await openBranches();
      await works("git_cherry_pick", { revisions: ["easy"] });
      for (const [tool, revision] of [
        ["git_cherry_pick", "easy"],
        ["git_revert", "HEAD~1"],
      ] as const) {
        if (tool === "git_revert") await works(tool, { revisions: ["HEAD"] });
        const call = { revisions: [revision] };
        const refused = await fails(tool, call);
        expect(refused.text).toContain("changes nothing here");
        expect(await fails(tool, { ...call, dry_run: true })).toEqual(refused);
        await works(tool, { ...call, dry_run: true, no_commit: true });
      }
    },
  );

  it("reverts, once, and asks for the side of a merge", async () => {
    const { plain, read, works, fails } = await openBranches();
    await works("git_revert", { revisions: ["HEAD"] });
    expect(read("a.txt")).toContain("two\n");
    // Git's own words are others where there is an untracked file.
    plain.write("untracked.txt", "x\n");
    const again = await fails("git_revert", { revisions: ["HEAD~1"] });
    expect(again.text).toMatch(/changes nothing here, so none is reverted\n.* reverted already/);
    await works("git_merge", { target: "easy" });
    expect((await fails("git_revert", { revisions: ["HEAD"] })).hint).toContain("mainline: 1");
    await works("git_revert", { revisions: ["HEAD"], mainline: 1 });
    expect(existsSync(join(plain.root, "c.txt"))).toBe(false);
  });
});
