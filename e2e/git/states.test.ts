import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { createHistory, openHistory } from "./history.ts";
import { failureOf, interposeGit, openGit, Plain, resultOf, stateOf, openEmpty } from "./program.ts";
import { describeOnUnix } from "../support/programs.ts";

it("an unborn branch has a status, takes a first commit, and is unborn again", async () => {
  const { plain, works, fails } = await openEmpty();
  plain.write("a.txt", "a\n");
  expect(await works("git_status")).toMatchObject({ branch: "main", untracked: ["a.txt"] });
  plain.git("add", "a.txt");
  for (const [tool, args] of [
    ["git_log", {}],
    ["git_show", { revision: "HEAD" }],
    ["git_reflog", {}],
    ["git_read_file", { path: "a.txt" }],
    ["git_blame", { path: "a.txt" }],
    ["git_create_branch", { branch_name: "topic" }],
    ["git_tag", { name: "v1" }],
    ["git_stash", { action: "push" }],
    ["git_stash", { action: "push", dry_run: true }],
    ["git_commit", { message: "none", amend: true }],
    ["git_worktree", { action: "add", path: join(plain.root, "tree"), new_branch: "topic" }],
  ] as const) {
    const { code, text } = await fails(tool, args);
    expect([tool, code]).toEqual([tool, "precondition_failed"]);
    expect(text).toContain("This branch has no commits yet");
  }
  const unstaged = { files: ["a.txt"], staged: true };
  expect(await works("git_restore", { ...unstaged, dry_run: true })).toMatchObject({
    would_change: ["a.txt"],
  });
  expect(await works("git_restore", unstaged)).toMatchObject({ changed: ["a.txt"] });
  expect(plain.git("status", "--porcelain")).toBe("?? a.txt");
  expect(await works("git_diff_staged")).toEqual({ diff: "" });
  const { undo: added } = await works("git_add", { files: ["a.txt"] });
  await works("git_undo", { id: added });
  expect(plain.git("status", "--porcelain")).toBe("?? a.txt");
  const { undo: id } = await works("git_commit", { message: "first", files: ["a.txt"] });
  expect(plain.git("log", "--format=%s")).toBe("first");
  await works("git_undo", { id });
  expect(plain.git("status", "--porcelain")).toBe("?? a.txt");
  expect(plain.git("for-each-ref", "refs/heads")).toBe("");
});

it("a detached HEAD commits, and is undone", async () => {
  const { plain, works } = await openHistory();
  plain.git("checkout", "-q", "--detach", "v1");
  const status = await works("git_status");
  expect(status["branch"]).toBeUndefined();
  plain.write("x.txt", "x\n");
  const { undo: id } = await works("git_commit", { message: "loose", files: ["x.txt"] });
  expect(plain.git("log", "-1", "--format=%s")).toBe("loose");
  await works("git_undo", { id });
  expect(plain.git("rev-parse", "HEAD")).toBe(plain.git("rev-parse", "v1"));
});

it("a bare repository is read, gets branches, and has no work tree", async () => {
  const source = createHistory();
  const bare = new Plain(join(createPlace(), "bare.git"));
  source.git("clone", "-q", "--bare", source.root, bare.root);
  const wire = await openGit(["--all-tools", bare.root]);
  expect(await resultOf(wire, "git_log", { max_count: 1 })).toMatchObject({
    commits: [{ subject: "odd files" }],
  });
  expect(await resultOf(wire, "git_read_file", { path: "src/one.ts" })).toMatchObject({
    text: "export const one = 1;",
  });
  for (const tool of ["git_status", "git_reset"])
    expect(await failureOf(wire, tool)).toMatchObject({ code: "unsupported" });
  const { undo: id } = await resultOf(wire, "git_create_branch", { branch_name: "topic" });
  expect(bare.git("rev-parse", "topic")).toBe(bare.git("rev-parse", "HEAD"));
  await resultOf(wire, "git_undo", { id });
  expect(bare.git("branch", "--list", "topic")).toBe("");
  await resultOf(wire, "git_delete_branch", { branch_name: "feature", force: true });
  expect(bare.git("branch", "--list", "feature")).toBe("");
  expect(await failureOf(wire, "git_delete_branch", { branch_name: "main" })).toMatchObject({
    code: "conflict",
  });
  expect(await resultOf(wire, "git_list_files", { paths: ["src"] })).toMatchObject({ total: 2 });
});

it("a SHA-256 repository is like any other", async () => {
  const plain = Plain.init(undefined, "--object-format=sha256");
  plain.commit("first", { "a.txt": "a\n" });
  const wire = await openGit(["--all-tools", plain.root]);
  plain.write("a.txt", "b\n");
  const { undo: id } = await resultOf(wire, "git_commit", { message: "second", files: ["a.txt"] });
  const { commit } = await resultOf<{ commit: { commit: string } }>(wire, "git_show", { revision: "HEAD" });
  expect(commit.commit).toHaveLength(64);
  expect((await resultOf(wire, "git_blame", { path: "a.txt" }))["groups"]).toHaveLength(1);
  expect(await resultOf(wire, "git_read_file", { path: "a.txt", revision: "HEAD~1" })).toMatchObject({
    text: "a",
  });
  await resultOf(wire, "git_undo", { id });
  expect(plain.git("status", "--porcelain")).toBe(" M a.txt");
});

it("a shallow clone ends where it was cut", async () => {
  const source = createHistory();
  const plain = new Plain(createPlace());
  source.git("clone", "-q", "--depth=2", `file://${source.root}`, plain.root);
  const wire = await openGit(["--all-tools", plain.root]);
  const { commits } = await resultOf<{ commits: object[] }>(wire, "git_log", { max_count: 50 });
  expect(commits).toHaveLength(2);
  const last = { revision: "HEAD~1" };
  expect((await resultOf(wire, "git_show", last))["note"]).toContain("This clone is shallow");
  expect(await resultOf(wire, "git_show", { revision: "HEAD" })).not.toHaveProperty("note");
  const nothing = plain.git("hash-object", "-t", "tree", "/dev/null");
  plain.git("branch", "other", plain.git("commit-tree", "-m", "other", nothing));
  for (const [tool, args] of [
    // Git would remove every file.
    ["git_revert", { revisions: ["HEAD~1"] }],
    ["git_rebase", { target: "other" }],
  ] as const)
    expect(await failureOf(wire, tool, args)).toMatchObject({ code: "unsupported" });
  expect(await failureOf(wire, "git_merge", { target: "other" })).toMatchObject({ code: "conflict" });
});

it("a shallow clone that has all commits ends nowhere, and neither does a branch called grafted", async () => {
  const source = Plain.init();
  const root = source.commit("first", { "a.txt": "a\n" });
  source.git("branch", "grafted");
  const plain = new Plain(createPlace());
  source.git("clone", "-q", "--depth=1", `file://${source.root}`, plain.root);
  expect(plain.git("rev-parse", "--is-shallow-repository")).toBe("true");
  for (const whole of [source, plain]) {
    const wire = await openGit(["--all-tools", whole.root]);
    expect(await resultOf(wire, "git_show", { revision: root })).not.toHaveProperty("note");
    await resultOf(wire, "git_revert", { revisions: [root] });
  }
});

it("a sparse checkout says which file is outside of it, and stages the others", async () => {
  const { plain, works, fails } = await openEmpty();
  plain.commit("first", { "in/a": "1\n", "out/b": "1\n" });
  plain.git("sparse-checkout", "set", "--cone", "in");
  plain.write("in/a", "2\n");
  plain.write("out/new", "new\n");
  const refused = await fails("git_add", { files: ["."] });
  expect(refused).toMatchObject({ code: "precondition_failed" });
  expect(refused.text).toContain("out/new");
  expect(plain.git("diff", "--cached", "--name-only")).toBe("");
  expect(await works("git_add", { files: ["in"] })).toMatchObject({ changed: ["in/a"] });
});

it("a linked work tree has an index, a HEAD and a list of changes of its own", async () => {
  const place = createPlace();
  const main = createHistory(join(place, "main"));
  main.git("worktree", "add", "-q", join(place, "linked"), "feature");
  const linked = new Plain(join(place, "linked"));
  expect(await failureOf(await openGit([linked.root]), "git_status")).toMatchObject({
    code: "permission_denied",
  });
  const wire = await openGit(["--all-tools", "--allow-dir", place]);
  const { repositories } = await resultOf<{ repositories: { name: string }[] }>(
    wire,
    "git_list_repositories",
  );
  expect(repositories.map(({ name }) => name)).toEqual(["linked", "main"]);
  expect(await failureOf(wire, "git_status")).toMatchObject({ code: "invalid_input" });
  linked.write("only-here.txt", "x\n");
  const { undo: id } = await resultOf(wire, "git_commit", {
    repo_path: "linked",
    message: "linked",
    files: ["only-here.txt"],
  });
  expect(await resultOf(wire, "git_undo", { repo_path: "main" })).toMatchObject({ changes: [] });
  const status = await resultOf(wire, "git_status", { repo_path: main.root });
  expect(status).toMatchObject({ branch: "main" });
  expect(status).not.toHaveProperty("staged");
  await resultOf(wire, "git_undo", { repo_path: "linked", id });
  expect(linked.git("status", "--porcelain")).toBe("?? only-here.txt");
  expect((await resultOf(wire, "git_worktrees", { repo_path: "main" }))["worktrees"]).toHaveLength(2);
});

it("work trees beside the bare repository that a .git file names are used, and so is a git directory elsewhere", async () => {
  const place = createPlace();
  const source = createHistory();
  const project = join(place, "project");
  source.git("clone", "-q", "--bare", source.root, join(project, ".bare"));
  writeFileSync(join(project, ".git"), "gitdir: ./.bare\n");
  new Plain(project).git("worktree", "add", "-q", "main", "main");
  const apart = Plain.init(join(place, "apart"), `--separate-git-dir=${join(place, "elsewhere")}`);
  apart.commit("apart", { "a.txt": "a\n" });
  const wire = await openGit(["--all-tools", "--allow-dir", place]);
  for (const path of ["project/main", "apart"]) {
    const at = { repo_path: join(place, path) };
    new Plain(at.repo_path).write("new.txt", "new\n");
    await resultOf(wire, "git_commit", { ...at, message: "new", files: ["new.txt"] });
    await resultOf(wire, "git_create_branch", { ...at, branch_name: `topic-${path}`, checkout: true });
  }
  const at = { repo_path: project };
  await resultOf(wire, "git_worktree", { ...at, action: "add", path: join(project, "second") });
  expect(await resultOf(wire, "git_status", { repo_path: join(project, "second") })).toMatchObject({
    branch: "second",
  });
  expect(await resultOf(wire, "git_log", { ...at, max_count: 1 })).toHaveProperty("commits.length", 1);
  // Without a work tree of its own there is nothing to check out.
  for (const [tool, args] of [
    ["git_restore", { files: ["."] }],
    ["git_checkout", { branch_name: "clean" }],
  ] as const)
    expect(await failureOf(wire, tool, { ...at, ...args }), tool).toMatchObject({ code: "unsupported" });
  expect(readdirSync(project).toSorted()).toEqual([".bare", ".git", "main", "second"]);
});

it("a submodule is listed, left alone, and can be used by its own path", async () => {
  const place = createPlace();
  const inner = createHistory(join(place, "inner"));
  const outer = Plain.init(join(place, "outer"));
  outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
  outer.git("commit", "-q", "-m", "with submodule");
  outer.write("sub/a.txt", "changed inside\n");
  const wire = await openGit(["--all-tools", outer.root]);
  const clean = await resultOf(wire, "git_status");
  for (const list of ["staged", "unstaged", "untracked"]) expect(clean).not.toHaveProperty(list);
  const { files } = await resultOf<{ files: object[] }>(wire, "git_list_files");
  expect(files).toContainEqual({ path: "sub", type: "submodule" });
  const sub = await resultOf(wire, "git_status", { repo_path: join(outer.root, "sub") });
  expect(sub["unstaged"]).toEqual([{ path: "a.txt", change: "modified" }]);
  const { hint } = await failureOf(wire, "git_diff_unstaged", { paths: ["sub/a.txt"] });
  expect(hint).toBe('"sub" is a submodule: give its path as repo_path.');
  expect((await resultOf(wire, "git_diff_unstaged", { repo_path: "sub" }))["diff"]).toContain(
    "+changed inside",
  );
  new Plain(join(outer.root, "sub")).git("commit", "-qam", "inside");
  const id = new Plain(join(outer.root, "sub")).git("rev-parse", "HEAD");
  const moved = { unstaged: [{ path: "sub", change: "modified" }] };
  expect(await resultOf(wire, "git_status")).toMatchObject(moved);
  expect((await failureOf(wire, "git_commit", { message: "x" })).hint).toContain(
    "1 changed file is not staged",
  );
  expect((await failureOf(wire, "git_stash", { action: "push" })).text).toContain("no changes");
  expect(await resultOf(wire, "git_add", { files: ["."] })).toMatchObject({ changed: ["sub"] });
  const restored = await resultOf(wire, "git_restore", { files: ["sub"], staged: true });
  expect(restored).toMatchObject({ changed: ["sub"] });
  expect(outer.git("diff", "--cached", "--name-only")).toBe("");
  outer.git("add", "sub");
  expect(await resultOf(wire, "git_diff_staged")).toMatchObject({
    files: [{ path: "sub", change: "modified" }],
    diff: expect.stringContaining(`+Subproject commit ${id}`),
  });
  expect(await resultOf(wire, "git_list_hunks", { staged: true })).toMatchObject({ hunks: [] });
  expect(await resultOf(wire, "git_commit", { message: "sub" })).toMatchObject({ changed: ["sub"] });
  expect(outer.git("rev-parse", "HEAD:sub")).toBe(id);
});

it("a merge in progress is said, with its conflicts, and commits only when they are resolved", async () => {
  const { plain, works, fails } = await openHistory();
  expect(() => plain.git("merge", "-q", "feature")).toThrow("git merge");
  expect(await works("git_status")).toMatchObject({
    operation: "merge",
    conflicts: [{ path: "a.txt", kind: "both_modified" }],
  });
  expect(await fails("git_commit", { message: "too early" })).toMatchObject({ code: "conflict" });
  expect(await fails("git_checkout", { branch_name: "clean" })).toMatchObject({
    code: "precondition_failed",
  });
  plain.write("a.txt", "half resolved\n");
  const stateOfMerge = (): string =>
    [
      stateOf(plain),
      ...["HEAD", "MSG", "MODE"].map((name) => readFileSync(join(plain.root, `.git/MERGE_${name}`))),
    ].join();
  const before = stateOfMerge();
  await works("git_reset", { mode: "hard" });
  expect(await works("git_undo", { id: "last" })).not.toHaveProperty("ended");
  expect(stateOfMerge()).toBe(before);
  plain.write("a.txt", "resolved\n");
  const { undo: id } = await works("git_add", { files: ["a.txt"] });
  const resolved = stateOfMerge();
  // However it ends, it can be resumed: each of these with the other one's result in between.
  for (const [tool, args] of [
    ["git_commit", { message: "merged" }],
    ["git_continue_or_abort", { action: "continue" }],
    ["git_continue_or_abort", { action: "abort" }],
  ] as const) {
    const ended = await works(tool, args);
    expect(ended, tool).toHaveProperty("undo");
    const after = stateOf(plain);
    expect(await works("git_status")).not.toHaveProperty("operation");
    const { undo: again, ...undone } = await works("git_undo", { id: "last" });
    expect(undone, tool).toMatchObject({
      resumed: "merge",
      note: expect.stringContaining("The merge is in progress again.") as unknown,
    });
    expect(stateOfMerge(), tool).toBe(resolved);
    await works("git_undo", { id: again });
    expect(stateOf(plain), tool).toBe(after);
    expect(await works("git_status")).not.toHaveProperty("operation");
    await works("git_undo", { id: "last" });
    expect(stateOfMerge(), tool).toBe(resolved);
  }
  await works("git_commit", { message: "merged" });
  expect(plain.git("log", "-1", "--format=%P").split(" ")).toHaveLength(2);
  await works("git_commit", { message: "later", allow_empty: true });
  expect((await fails("git_undo", { id })).hint).toContain("Undo later changes first");
  plain.commit("elsewhere", {});
  expect((await fails("git_undo", { id })).hint).toContain("git_reset");
});

it("several repositories are named, and asked for by name", async () => {
  const place = createPlace();
  const one = createHistory(join(place, "one"));
  mkdirSync(join(place, "deep"));
  createHistory(join(place, "deep", "one"));
  const wire = await openGit(["--allow-dir", place]);
  const { repositories } = await resultOf<{ repositories: { name: string; path: string }[] }>(
    wire,
    "git_list_repositories",
  );
  expect(repositories).toEqual([
    { name: "one", path: one.root },
    { name: "one-2", path: join(place, "deep", "one") },
  ]);
  for (const name of ["repo_path", "repo", "cwd"])
    expect(await resultOf(wire, "git_status", { [name]: "one-2" })).toMatchObject({ branch: "main" });
  expect(await failureOf(wire, "git_status", { repo_path: "three" })).toMatchObject({ code: "not_found" });
});

describeOnUnix("an operation that fails", () => {
  it.each([
    ["git_rebase", { target: "easy" }, "rebase", "rebase-merge"],
    ["git_cherry_pick", { revisions: ["easy"] }, "cherry-pick", "CHERRY_PICK_HEAD"],
  ])(
    "%s ends no operation that somebody began meanwhile, and hides no failure",
    async (tool, args, name, state) => {
      const { plain } = await openBranches();
      const fails = `*" ${name} --abort "*) exit 3;; *" ${name} "*) echo "fatal: first" >&2; exit 128;;`;
      const failing = await openGit(["--all-tools", plain.root], { env: interposeGit(fails) });
      expect((await failureOf(failing, tool, args)).text).toContain("first");
      const begins = `*" ${name} --abort "*) ;; *" ${name} "*) git -c user.name=x -c user.email=x@x ${name} topic;;`;
      const wire = await openGit(["--all-tools", plain.root], { env: interposeGit(begins) });
      await failureOf(wire, tool, args);
      expect(existsSync(join(plain.root, ".git", state))).toBe(true);
    },
  );
});
