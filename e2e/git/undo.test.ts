import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { createDirty, openHistory } from "./history.ts";
import { interposeGit, openGit, Plain, resultOf, stateOf, openEmpty, openRepository } from "./program.ts";
import { itOnUnix } from "../support/programs.ts";

interface Written {
  readonly changed: string[];
  readonly undo?: string;
}

/** Each writer once, with what it must have changed. */
const WRITERS: readonly {
  readonly tool: string;
  readonly args: Fields;
  readonly changed: readonly string[];
  readonly check: (plain: Plain) => unknown;
  readonly is: unknown;
}[] = [
  {
    tool: "git_add",
    args: { files: ["."] },
    changed: ["a.txt", "new.txt"],
    check: (plain) => plain.git("diff", "--cached", "--name-only"),
    is: "a.txt\nnew.txt\nsrc/one.ts",
  },
  {
    tool: "git_add",
    args: { files: ["a.txt"] },
    changed: ["a.txt"],
    check: (plain) => plain.git("diff", "--name-only"),
    is: "",
  },
  {
    tool: "git_commit",
    args: { message: "one\n\n# kept" },
    changed: ["src/one.ts"],
    check: (plain) => plain.git("log", "-1", "--format=%B%an", "--name-only"),
    is: "one\n\n# kept\nTess Ter\n\nsrc/one.ts",
  },
  {
    tool: "git_commit",
    args: { message: "all", files: ["a.txt", "new.txt"], author: "Someone Else <else@example.org>" },
    changed: ["a.txt", "new.txt", "src/one.ts"],
    check: (plain) => plain.git("log", "-1", "--format=%an", "--name-only"),
    is: "Someone Else\n\na.txt\nnew.txt\nsrc/one.ts",
  },
  {
    tool: "git_commit",
    args: { amend: true },
    changed: ["src/one.ts"],
    check: (plain) => plain.git("log", "-1", "--format=%s"),
    is: "odd files",
  },
  {
    tool: "git_reset",
    args: {},
    changed: ["src/one.ts"],
    check: (plain) => plain.git("diff", "--cached", "--name-only"),
    is: "",
  },
  {
    tool: "git_reset",
    args: { files: ["src"] },
    changed: ["src/one.ts"],
    check: (plain) => plain.git("diff", "--cached", "--name-only"),
    is: "",
  },
  {
    tool: "git_reset",
    args: { mode: "soft", target: "HEAD~1" },
    changed: ["HEAD"],
    check: (plain) => plain.git("log", "-1", "--format=%s"),
    is: "change line 20 on main",
  },
  {
    tool: "git_reset",
    args: { mode: "hard", target: "v1" },
    changed: ["HEAD"],
    check: (plain) => plain.git("status", "--porcelain"),
    is: "?? new.txt",
  },
  {
    tool: "git_restore",
    args: { files: ["a.txt"] },
    changed: ["a.txt"],
    check: (plain) => plain.git("diff", "--name-only"),
    is: "",
  },
  {
    tool: "git_restore",
    args: { files: ["."], staged: true, worktree: true },
    changed: ["a.txt", "src/one.ts"],
    check: (plain) => plain.git("status", "--porcelain"),
    is: "?? new.txt",
  },
  {
    tool: "git_restore",
    args: { files: ["a.txt"], source: "feature" },
    changed: ["a.txt"],
    check: (plain) => plain.git("diff", "feature", "--stat", "--", "a.txt"),
    is: "",
  },
  {
    tool: "git_create_branch",
    args: { branch_name: "topic", base_branch: "v1" },
    changed: ["refs/heads/topic"],
    check: (plain) => plain.git("rev-parse", "topic"),
    is: (plain: Plain) => plain.git("rev-parse", "v1"),
  },
  {
    tool: "git_create_branch",
    args: { branch_name: "topic/x", checkout: true },
    changed: ["refs/heads/topic/x", "HEAD"],
    check: (plain) => plain.git("branch", "--show-current"),
    is: "topic/x",
  },
];

describe("a write", () => {
  it.each(WRITERS)(
    "$tool $args is tried, made, and taken back",
    async ({ tool, args, changed, check, is }) => {
      const { plain, works } = await openRepository(createDirty);
      const before = stateOf(plain);
      const tried = await works(tool, { ...args, dry_run: true });
      expect(stateOf(plain)).toBe(before);
      expect(tried).toMatchObject({
        dry_run: true,
        would_change: expect.arrayContaining([...changed]) as unknown,
      });
      expect(plain.git("for-each-ref", "refs/suite")).toBe("");
      const made: Written = await works(tool, args);
      expect(made.changed).toEqual(expect.arrayContaining([...changed]));
      expect(made.changed).toEqual(tried["would_change"]);
      expect(check(plain)).toBe(typeof is === "function" ? (is as (given: Plain) => unknown)(plain) : is);
      const after = stateOf(plain);
      expect(after).not.toBe(before);
      const undone: Written = await works("git_undo", { id: made.undo });
      expect(stateOf(plain)).toBe(before);
      await works("git_undo", { id: undone.undo });
      expect(stateOf(plain)).toBe(after);
      expect(plain.git("fsck", "--no-dangling", "--connectivity-only")).toBe("");
      expect(readdirSync(join(plain.root, ".git")).filter((name) => /lock|suite-index/.test(name))).toEqual(
        [],
      );
      expect(existsSync(join(plain.root, ".git/suite/writing.json"))).toBe(false);
    },
  );

  it("by checkout moves files, and back", async () => {
    const { plain, call, works, fails } = await openHistory();
    const before = stateOf(plain);
    const result = await works<Written & { branch: string }>("git_checkout", {
      branch_name: "feature",
    });
    expect(result).toMatchObject({ branch: "feature", detached: false });
    expect(readFileSync(join(plain.root, "a.txt"), "utf8")).toContain("feature");
    await works("git_undo", { id: "last" });
    expect(stateOf(plain)).toBe(before);
    expect(await works("git_checkout", { branch_name: "v1" })).toMatchObject({ detached: true });
    await works("git_undo", { id: "last" });
    expect(stateOf(plain)).toBe(before);
    // The branch that is checked out already leaves nothing to undo.
    await works("git_create_branch", { branch_name: "kept" });
    const same = await call("git_checkout", { branch_name: "main" });
    expect(textOf(same)).toBe('Already on "main"');
    expect(same.result?.structuredContent).toMatchObject({ changed: [], branch: "main", detached: false });
    await works("git_undo", { id: "last" });
    expect(stateOf(plain)).toBe(before);
    const tried = await works("git_checkout", { branch_name: "feature", dry_run: true });
    expect(tried).toMatchObject({
      would_change: expect.arrayContaining(["HEAD", "a.txt"]) as unknown,
      untrusted: ["branch", "would_change"],
    });
    plain.write("a.txt", "in the way\n");
    for (const stage of [false, true]) {
      if (stage) plain.git("add", "a.txt");
      for (const dry of [true, false]) {
        const refused = await fails("git_checkout", { branch_name: "feature", dry_run: dry });
        expect(refused).toMatchObject({ code: "conflict" });
        expect(refused.text).toContain('Uncommitted changes would be overwritten, such as those of "a.txt"');
      }
    }
    // What is the same there does not stand in the way, nor does what the index has from there.
    plain.git("checkout", "-q", "feature", "--", "a.txt");
    plain.write("src/one.ts", "export const one = 1.5;\n");
    for (const dry of [true, false]) await works("git_checkout", { branch_name: "feature", dry_run: dry });
    expect(plain.git("status", "--porcelain")).toBe(" M src/one.ts");
    await works("git_undo", { undo_id: "last" });
    // A local branch below the name of a remote one is not meant, and leaves no room for it.
    plain.git("branch", "topic/x");
    const topic = { branch_name: "topic", dry_run: true };
    expect(await fails("git_checkout", topic)).toMatchObject({ code: "not_found" });
    plain.git("update-ref", "refs/remotes/origin/topic", "feature");
    expect((await fails("git_checkout", topic)).text).toContain('The branch "topic/x" exists');
    // What failed without a change leaves no trace.
    expect((await works<{ changes: { tool: string }[] }>("git_undo")).changes[0]?.tool).toBe("git_undo");
  });

  it("cannot be undone when something changed since, nor twice", async () => {
    const { plain, works, fails } = await openRepository(createDirty);
    const { undo: id } = await works<Written>("git_commit", { message: "one" });
    plain.git("commit", "-q", "--allow-empty", "-m", "somebody else's");
    const refused = await fails("git_undo", { id });
    expect(refused).toMatchObject({ code: "conflict" });
    expect(refused.text).toContain("HEAD has moved");
    plain.git("reset", "-q", "--soft", "HEAD~1");
    await works("git_undo", { id });
    expect(await fails("git_undo", { id })).toMatchObject({ code: "conflict" });
    expect(await fails("git_undo", { id: "20000101T000000000-0000" })).toMatchObject({
      code: "not_found",
    });
  });

  it("is the last one only until it is taken back", async () => {
    const { plain, works, fails } = await openHistory();
    const heads = [plain.git("rev-parse", "HEAD")];
    for (const name of ["1", "2", "3"]) {
      plain.write("a.txt", `${name}\n`);
      await works("git_commit", { message: name, files: ["a.txt"] });
      heads.unshift(plain.git("rev-parse", "HEAD"));
    }
    let undone: Written = { changed: [] };
    for (const head of heads.slice(1)) {
      undone = await works("git_undo", { id: "last" });
      expect(plain.git("rev-parse", "HEAD")).toBe(head);
    }
    expect(await fails("git_undo", { id: "last" })).toMatchObject({ code: "not_found" });
    // Once its undo is taken back, the first is in effect again.
    await works("git_undo", { id: undone.undo });
    await works("git_undo", { id: "last" });
    expect(plain.git("rev-parse", "HEAD")).toBe(heads[3]);
  });
});

it("the last change is named where it cannot be undone, and no older one is undone for it", async () => {
  const { plain, works, fails } = await openBranches("--allow-network");
  const { undo: older } = await works("git_create_branch", { branch_name: "older" });
  plain.git("remote", "add", "origin", Plain.init(join(plain.root, "../hub.git"), "--bare").root);
  const rows: readonly (readonly [tool: string, args: Fields, prepare?: () => unknown])[] = [
    ["git_worktree", { action: "add", path: "../beside" }],
    ["git_worktree", { action: "remove", path: "../beside" }],
    ["git_fetch", {}],
    [
      "git_continue_or_abort",
      { action: "abort" },
      () => expect(() => plain.git("rebase", "topic")).toThrow("git rebase"),
    ],
  ];
  plain.write("b.txt", "changed\n");
  for (const [tool, args, prepare] of rows) {
    if (tool === "git_continue_or_abort") plain.git("checkout", "-q", "b.txt");
    prepare?.();
    const done = await works(tool, args);
    expect(done, tool).not.toHaveProperty("undo");
    const { changes } = await works<{ changes: Fields[] }>("git_undo");
    expect(changes[0], tool).toMatchObject({
      tool,
      undoable: false,
      reason: expect.any(String) as unknown,
    });
    const refused = await fails("git_undo", { id: "last" });
    expect(refused).toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining(String(older)) as unknown,
    });
    expect(refused.text).toContain(`The last change, ${tool} (`);
    const id = String(changes[0]?.["id"]);
    expect((await fails("git_undo", { id })).text).toMatch(
      RegExp(`The change ${id}, .*, cannot be undone: `),
    );
  }
  // An undo, and what it undid, are no older changes to undo; and the list says what is undone.
  await works("git_create_branch", { branch_name: "gone" });
  await works("git_undo", { id: "last" });
  await works("git_worktree", { action: "add", path: "later", branch: "older" });
  expect(await fails("git_undo", { id: "last" })).toMatchObject({
    hint: expect.stringContaining(String(older)) as unknown,
  });
  const listed = await works<{ changes: Fields[]; total: number }>("git_undo", { limit: 3 });
  expect(listed).toMatchObject({
    changes: [{ tool: "git_worktree" }, { tool: "git_undo" }, { tool: "git_create_branch", undone: true }],
    total: expect.any(Number) as unknown,
  });
  expect(await fails("git_undo", { id: listed.changes[2]?.["id"] })).toMatchObject({
    code: "conflict",
    hint: expect.stringContaining(`To redo it, give the id ${String(listed.changes[1]?.["id"])}`) as unknown,
  });
  // What fails is not in the way.
  expect(plain.git("branch", "--list", "older")).not.toBe("");
  await works("git_tag", { name: "t" });
  await fails("git_worktree", { action: "add", path: "../beside", branch: "nowhere" });
  await works("git_undo", { id: "last" });
  expect(plain.git("tag")).toBe("");
  await works("git_undo", { id: older });
  expect(plain.git("branch", "--list", "older")).toBe("");
});

it("what an undo needs stays, though nothing else names it", async () => {
  const { plain, works } = await openBranches();
  const tip = plain.git("rev-parse", "topic");
  plain.write("a.txt", "unstaged\n");
  plain.write("b.txt", "staged\n");
  plain.git("add", "b.txt");
  const before = stateOf(plain);
  const { undo: id } = await works("git_reset", { mode: "hard" });
  const { undo: branch } = await works("git_delete_branch", { branch_name: "topic", force: true });
  plain.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
  plain.git("gc", "-q", "--prune=now");
  await works("git_undo", { id: branch });
  expect(plain.git("rev-parse", "topic")).toBe(tip);
  await works("git_undo", { id });
  expect(stateOf(plain)).toBe(before);
  plain.git("fsck", "--no-dangling");
});

describe("an index", () => {
  it("comes back with its flags, which count as a change", async () => {
    const { plain, works, fails } = await openEmpty();
    plain.commit("x", { "in/a.txt": "a\n", "out/b.txt": "b\n", "c.txt": "c\n" });
    plain.git("branch", "-m", "main");
    plain.write("new.txt", "new\n");
    plain.git("add", "--intent-to-add", "new.txt");
    plain.git("update-index", "--assume-unchanged", "c.txt");
    for (const version of ["2", "4"]) {
      plain.git("update-index", "--index-version", version);
      const before = [plain.git("status", "--porcelain"), plain.git("ls-files", "-v")];
      await works("git_reset", {});
      expect(plain.git("status", "--porcelain")).toBe("?? new.txt");
      await works("git_undo", { id: "last" });
      expect([plain.git("status", "--porcelain"), plain.git("ls-files", "-v")]).toEqual(before);
    }
    await works("git_add", { files: ["new.txt"] });
    for (const sparse of ["--sparse-index", "--no-sparse-index"]) {
      plain.git("sparse-checkout", "set", "--cone", sparse, "in");
      const { text } = await fails("git_undo", { id: "last" });
      expect(text).toContain("the index is different");
      expect(plain.git("status", "--porcelain")).toBe("A  new.txt");
      plain.git("sparse-checkout", "disable");
    }
    await works("git_undo", { id: "last" });
    // HEAD may be a link, as it was in the beginning.
    rmSync(join(plain.root, ".git/HEAD"));
    symlinkSync("refs/heads/main", join(plain.root, ".git/HEAD"));
    plain.write("c.txt", "d\n");
    await works("git_commit", { message: "y", files: ["new.txt"] });
    await works("git_undo", { id: "last" });
    expect(plain.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(plain.git("log", "--format=%s", "main")).toBe("x");
  });

  it("that is split comes back whole", async () => {
    const { plain, works } = await openEmpty();
    plain.commit("x", { "a.txt": "a\n" });
    plain.git("config", "core.splitIndex", "true");
    plain.git("config", "splitIndex.maxPercentChange", "0");
    plain.git("config", "splitIndex.sharedIndexExpire", "now");
    plain.git("update-index", "--split-index");
    plain.write("g", "g\n");
    plain.write("h", "h\n");
    await works("git_add", { files: ["g"] });
    await works("git_add", { files: ["h"] });
    plain.git("add", "--renormalize", "a.txt");
    await works("git_undo", { id: "last" });
    expect(plain.git("status", "--porcelain")).toBe("A  g\n?? h");
  });

  it("that somebody has locked is no reason against undoing what needs no lock", async () => {
    const { plain, works } = await openEmpty();
    plain.commit("x", { "a.txt": "a\n" });
    const lock = join(plain.root, ".git/index.lock");
    writeFileSync(lock, "");
    await works("git_create_branch", { branch_name: "topic" });
    rmSync(lock);
    await works("git_undo", { id: "last" });
    expect(plain.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  it("that somebody has locked is said before anything is put back", async () => {
    const { plain, works, fails } = await openEmpty();
    plain.commit("x", { "a.txt": "a\n", "b.txt": "b\n" });
    for (const name of ["a.txt", "b.txt"]) plain.write(name, "mine\n");
    plain.git("add", "a.txt");
    await works("git_reset", { mode: "hard" });
    const lock = join(plain.root, ".git/index.lock");
    writeFileSync(lock, "");
    expect(await fails("git_undo", { id: "last" })).toMatchObject({ code: "unavailable" });
    rmSync(lock);
    expect(plain.git("status", "--porcelain")).toBe("");
    await works("git_undo", { id: "last" });
    expect(plain.git("status", "--porcelain")).toBe("M  a.txt\n M b.txt");
  });
});

itOnUnix("a write that is done is said to be done, though that cannot be noted", async () => {
  const plain = Plain.init();
  plain.commit("x", { "a.txt": "a\n" });
  const folder = createPlace();
  // The second entry of a write: what it led to.
  const env = interposeGit(`*" fast-import "*)
  echo x >> '${folder}/entries'
  if [ "$(wc -l < '${folder}/entries')" -eq 2 ]; then cat > /dev/null; echo "fatal: No space left on device" >&2; exit 128; fi;;`);
  const wire = await openGit([plain.root], { env });
  plain.write("b.txt", "b\n");
  const { commit } = await resultOf(wire, "git_commit", { message: "m", files: ["b.txt"] });
  expect(plain.git("rev-parse", "--short=10", "HEAD")).toBe(commit);
  const { changes } = await resultOf<{ changes: Fields[] }>(wire, "git_undo", {});
  expect(changes).toHaveLength(1);
});

itOnUnix("what a killed server made for itself is removed by the next one", async () => {
  const plain = Plain.init();
  plain.commit("x", { "a.txt": "a\n" });
  plain.write("a.txt", "b\n");
  const left = (): readonly string[] =>
    readdirSync(join(plain.root, ".git")).filter((name) => name.startsWith("suite-"));
  const env = interposeGit('*" write-tree "*) [ -n "$GIT_INDEX_FILE" ] && kill -9 $PPID;;');
  const killed = await openGit(["--all-tools", plain.root], { env });
  await callTool(killed, "git_stash", { action: "push" }).catch(() => undefined);
  expect(left()).not.toEqual([]);
  const wire = await openGit(["--all-tools", plain.root]);
  await resultOf(wire, "git_add", { files: ["a.txt"] });
  expect(left()).toEqual([]);
});
