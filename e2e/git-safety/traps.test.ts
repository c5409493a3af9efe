import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { callTool, type Fields, isGood, listTools, PATIENCE_MS, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { failureOf, homeOfTests, interposeGit, openGit, Plain, resultOf } from "../git/program.ts";
import { createPlace } from "../support/place.ts";
import { createTrapRepository } from "./trap-repository.ts";
import { itOnUnix } from "../support/programs.ts";

const ALL = ["--all-tools", "--allow-network", "--allow-force"];

/** How each tool is called so that it comes as far as it can. Several calls where one would not reach everything. */
const CALLS: { readonly [tool: string]: readonly Fields[] } = {
  git_status: [{}, { untracked: "all" }],
  git_diff_unstaged: [{}, { stat_only: true }],
  git_diff_staged: [{}],
  git_diff: [
    { target: "main..other" },
    { target: "other" },
    { target: "main...other", ignore_whitespace: true },
  ],
  git_log: [
    { all: true, full: true },
    { paths: ["a.txt"], follow: true },
    { search: "zwei", all: true },
    { patch: true },
    { paths: ["a.txt"], start_line: 1, patch: true },
  ],
  git_show: [{ revision: "HEAD" }, { revision: "other" }],
  git_branch: [{ branch_type: "all" }],
  git_bisect: [
    { bad: "HEAD", good: ["v1"] },
    { bad: "HEAD", good: ["v1"], checkout: true },
  ],
  git_list_hunks: [{}],
  git_list_repositories: [{}],
  git_read_file: [{ path: "a.txt" }, { path: "a.txt", revision: ":" }],
  git_list_files: [{}, { revision: "HEAD" }],
  git_grep: [{ pattern: "o" }, { pattern: "o", revision: "other" }, { pattern: "n", untracked: true }],
  git_blame: [{ path: "a.txt" }, { path: "a.txt", revision: "other" }],
  git_tags: [{}],
  git_reflog: [{}],
  git_stash_list: [{}],
  git_worktrees: [{}],
  git_remotes: [{}],
  git_add: [{ files: ["."], dry_run: true }, { files: ["new.txt"] }],
  git_stage_hunks: [{ ids: ["0000000000"] }],
  git_unstage_hunks: [{ ids: ["0000000000"] }],
  git_commit: [{ message: "trap" }, { message: "trap", amend: true }, { message: "all", files: ["a.txt"] }],
  git_reset: [{ target: "HEAD~1" }, { target: "HEAD~1", mode: "hard" }],
  git_checkout: [{ branch_name: "other" }, { branch_name: "main" }],
  git_create_branch: [{ branch_name: "trap", checkout: true }],
  git_restore: [
    { files: ["a.txt"], source: "other" },
    { files: ["a.txt"], staged: true },
  ],
  git_undo: [{}, { id: "last" }],
};

/** After those: what takes commits in, stops, and continues, in an order in which each comes as far as it can. */
const LATER: readonly (readonly [tool: string, args: Fields])[] = [
  ["git_restore", { files: ["a.txt"], source: "other" }],
  ["git_stash", { action: "push", include_untracked: true }],
  ["git_checkout", { branch_name: "main" }],
  ["git_merge", { target: "other", dry_run: true }],
  ["git_merge", { target: "other" }],
  ["git_conflicts", {}],
  ["git_resolve_conflict", { path: "a.txt", use: "theirs" }],
  ["git_continue_or_abort", { action: "continue" }],
  ["git_revert", { revisions: ["HEAD"], mainline: 1 }],
  ["git_cherry_pick", { revisions: ["other"], dry_run: true }],
  ["git_cherry_pick", { revisions: ["other"] }],
  ["git_continue_or_abort", { action: "abort" }],
  ["git_rebase", { target: "HEAD~1", onto: "v1", dry_run: true }],
  ["git_rebase", { target: "HEAD~1", onto: "v1" }],
  ["git_tag", { name: "trap", message: "trap" }],
  ["git_tag", { name: "trap", action: "delete" }],
  ["git_worktree", { action: "add", path: "trap-tree", branch: "other" }],
  ["git_worktree", { action: "remove", path: "trap-tree" }],
  ["git_delete_branch", { branch_name: "other", force: true }],
  ["git_init", { path: "trap-new" }],
  ["git_clone", { url: ".", path: "trap-clone" }],
  ["git_stash", { action: "apply" }],
  ["git_stash", { action: "drop" }],
  // What its remote would run is refused, whatever is asked of it.
  ["git_clone", { url: "ext::touch x", path: "trap-ext" }],
  ["git_fetch", {}],
  ["git_fetch", { dry_run: true }],
  ["git_pull", {}],
  ["git_push", {}],
  ["git_push", { force: true }],
];

describe("a repository full of traps", () => {
  it("fires them for plain git, so that what follows means something", async () => {
    const { plain, fired } = createTrapRepository();
    // Plain git would wait for its answer.
    plain.git("config", "--unset", "filter.evil.process");
    plain.git("config", "filter.evil.required", "false");
    const env = { ...process.env, HOME: homeOfTests() };
    const run = (...args: string[]): void =>
      void spawnSync("git", args, { cwd: plain.root, env, input: "", timeout: PATIENCE_MS });
    run("status");
    run("diff");
    run("diff", "--no-ext-diff");
    run("add", "a.txt", "new.txt");
    run("commit", "-m", "x");
    // Its remote never says anything.
    const fetching = spawn("git", ["fetch"], { cwd: plain.root, env, stdio: "ignore" });
    await expect.poll(fired).toContain("remote-ext");
    fetching.kill("SIGKILL");
    run("-c", "commit.gpgSign=false", "commit", "-m", "x", "--no-verify");
    run("-c", "merge.verifySignatures=false", "merge", "other");
    for (const name of [
      "core.fsmonitor",
      "diff.evil.command",
      "filter.evil.clean",
      "hook-pre-commit",
      "hook-post-index-change",
      "gpg.program",
      "merge.evil.driver",
    ]) {
      expect(fired(), name).toContain(name);
    }
    for (const name of ["core.fsmonitor", "filter.sub.clean", "diff.external"])
      expect(fired(), name).toContain(`submodule-${name}`);
  });

  it("fires none of them for any tool", async () => {
    const { plain, fired } = createTrapRepository();
    const wire = await openGit([...ALL, "--repository", plain.root]);
    const names = (await listTools(wire)).map(({ name }) => name);
    expect(names.filter((name) => !CALLS[name] && !LATER.some(([later]) => later === name))).toEqual([]);
    const { hunks } = await resultOf<{ hunks: { id: string }[] }>(wire, "git_list_hunks");
    const [hunk] = hunks;
    const calls = [
      ...Object.entries(CALLS).flatMap(([name, list]) => list.map((args) => ({ name, args }))),
      ...LATER.map(([name, args]) => ({ name, args })),
    ];
    const failed: string[] = [];
    for (const { name, args } of calls) {
      const given = "ids" in args ? { ids: [hunk?.id] } : args;
      const response = await callTool(wire, name, given);
      expect(fired(), `${name} ${JSON.stringify(given)}: ${textOf(response)}`).toEqual([]);
      if (!isGood(response)) failed.push(`${name}: ${textOf(response)}`);
    }
    // A call that fails early fires nothing either: only these may.
    expect(
      failed.filter(
        (line) =>
          !/^git_(?:unstage_hunks|undo|fetch|pull|push|clone: (?:This kind|"\." is a partial))/.test(line),
      ),
    ).toEqual([]);
    // What it is refused for is only one of them.
    for (const key of ["promisor", "partialclonefilter"])
      plain.git("config", "--unset", `remote.origin.${key}`);
    await resultOf(wire, "git_clone", { url: ".", path: "trap-clone" });
    expect(fired()).toEqual([]);
  });

  it("runs nothing that a checkout brings as configuration", async () => {
    const place = createPlace();
    const plain = Plain.init(join(place, "repo"));
    const config = readFileSync(join(plain.root, ".git/config"), "utf8");
    rmSync(join(plain.root, ".git/config"));
    symlinkSync("../cfg", join(plain.root, ".git/config"));
    plain.commit("main", { cfg: config, "a.txt": "a\n" });
    plain.git("switch", "-qc", "evil");
    plain.commit("evil", {
      ".gitattributes": "* filter=x\n",
      "a.txt": "b\n",
      cfg: `${config}[filter "x"]\n\tclean = "touch ${place}/fired; cat"\n`,
    });
    plain.git("switch", "-q", "main");
    rmSync(join(place, "fired"), { force: true });
    const wire = await openGit([...ALL, "--repository", plain.root]);
    const { code, hint, text } = await failureOf(wire, "git_checkout", { branch_name: "evil" });
    expect(code, text).toBe("permission_denied");
    expect(hint).toContain("--trust-repository");
    expect(existsSync(join(place, "fired"))).toBe(false);
  });

  it("continues no operation whose state names a program", async () => {
    const place = createPlace();
    const plain = Plain.init(join(place, "repo"));
    plain.commit("base", { "a.txt": "a\n" });
    plain.git("switch", "-qc", "topic");
    plain.commit("topic", { "a.txt": "topic\n" });
    plain.git("switch", "-q", "main");
    plain.commit("main", { "a.txt": "main\n" });
    spawnSync("git", ["rebase", "topic"], { cwd: plain.root, env: { ...process.env, HOME: homeOfTests() } });
    plain.write("a.txt", "both\n");
    plain.git("add", "a.txt");
    const trap = join(place, "trap.sh");
    writeFileSync(trap, `#!/bin/sh\ntouch '${place}/fired'\n`, { mode: 0o755 });
    plain.git("config", "alias.merge-evil", `!${trap}`);
    const states: readonly (readonly [file: string, text: string])[] = [
      ["rebase-merge/git-rebase-todo", `exec ${trap}\n`],
      ["rebase-merge/strategy", "evil\n"],
      ["sequencer/opts", "[options]\n\tStrategy = evil\n"],
      ["sequencer/opts", "[options] strategy = evil\n"],
      ["sequencer/opts", "[options]\n\tstrategy = ort\n\tstrategy = evil\n"],
      ["sequencer/opts", "[options]\n\tgpg-sign = evil\n"],
      ["rebase-merge/gpg_sign_opt", "-Sevil\n"],
    ];
    const wire = await openGit([...ALL, "--repository", plain.root]);
    for (const [name, text] of states) {
      const file = join(plain.root, ".git", name);
      const before = existsSync(file) ? readFileSync(file) : undefined;
      plain.write(join(".git", name), text);
      for (const action of ["continue", "skip"]) {
        const { code } = await failureOf(wire, "git_continue_or_abort", { action });
        expect(code, text).toBe("permission_denied");
      }
      if (before) writeFileSync(file, before);
      else rmSync(file);
    }
    expect(existsSync(join(place, "fired"))).toBe(false);
    await resultOf(wire, "git_continue_or_abort", { action: "abort" });
    expect(plain.git("log", "-1", "--format=%s")).toBe("main");
  });

  it("runs no program that a picked strategy is an alias for", async () => {
    const place = createPlace();
    const plain = Plain.init(join(place, "repo"));
    plain.commit("base", { "a.txt": "a\n" });
    plain.git("switch", "-qc", "topic");
    plain.commit("one", { "a.txt": "one\n" });
    plain.commit("two", { "a.txt": "two\n" });
    plain.git("switch", "-q", "main");
    plain.commit("main", { "a.txt": "main\n" });
    const env = { ...process.env, HOME: homeOfTests() };
    spawnSync("git", ["cherry-pick", "topic~1", "topic"], { cwd: plain.root, env });
    plain.write("a.txt", "one\n");
    plain.git("add", "a.txt");
    plain.write(".git/sequencer/opts", "[options]\n\tStrategy = evil\n");
    plain.git("config", "alias.merge-evil", `!touch '${place}/fired'`);
    const wire = await openGit([...ALL, "--repository", plain.root]);
    await failureOf(wire, "git_continue_or_abort", { action: "continue" });
    expect(existsSync(join(place, "fired"))).toBe(false);
    spawnSync("git", ["cherry-pick", "--continue"], { cwd: plain.root, env: { ...env, GIT_EDITOR: ":" } });
    expect(existsSync(join(place, "fired"))).toBe(true);
  });

  itOnUnix("runs no program that is configured during a call", async () => {
    const plain = Plain.init();
    const fired = join(createPlace(), "fired");
    plain.commit("x", { "a.txt": "a\n", ".gitattributes": "* filter=trap\n" });
    plain.write("a.txt", "b\n");
    const configure = `git -C '${plain.root}' config filter.trap.clean "touch '${fired}'; cat"`;
    const wire = await openGit([plain.root], { env: interposeGit(`*" ls-files "*) ${configure};;`) });
    expect((await resultOf(wire, "git_diff_unstaged"))["diff"]).toContain("+b");
    expect(existsSync(fired)).toBe(false);
    plain.git("diff");
    expect(existsSync(fired)).toBe(true);
  });

  it("pushes to no repository whose hooks would run", async () => {
    const place = createPlace();
    const plain = Plain.init(join(place, "repo"));
    plain.commit("x", { "a.txt": "a\n" });
    const inner = Plain.init(join(place, "sub.git"), "--bare");
    const hook = join(inner.root, "hooks", "pre-receive");
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch '${place}/fired'\n`, { mode: 0o755 });
    plain.git("remote", "add", "origin", "../sub.git");
    const wire = await openGit([...ALL, "--repository", plain.root, "--repository", inner.root]);
    const { code, text } = await failureOf(wire, "git_push", { repo_path: "repo" });
    expect(code).toBe("permission_denied");
    expect(text).toContain("would run its hooks");
    expect(existsSync(join(place, "fired"))).toBe(false);
  });
});

itOnUnix("runs no program of the repository, whichever relative folders are on the search path", async () => {
  const plain = Plain.init();
  const mark = join(createPlace(), "ran");
  plain.commit("x", { "a.txt": "a\n", "d/a.txt": "a\n" });
  plain.git("remote", "add", "origin", "ssh://localhost/nowhere");
  plain.write(Buffer.from("caf\u00E9.txt", "latin1"), "a\n");
  for (const name of ["git", "sh", "prlimit", "ssh", "cat"])
    for (const folder of ["", "bin/", "d/bin/"]) {
      plain.write(`${folder}${name}`, `#!/bin/sh\necho ${folder}${name} "$@" >> ${mark}\n`);
      chmodSync(join(plain.root, folder, name), 0o755);
    }
  const relative = ["", ".", "bin", "./bin"].join(delimiter);
  const PATH = [relative, process.env["PATH"], relative].join(delimiter);
  const wire = await openGit(["--all-tools", "--allow-network", plain.root], { env: { PATH } });
  for (const [tool, args] of [
    ["git_status", {}],
    ["git_remotes", {}],
    ["git_commit", { message: "y", files: ["a.txt", '"caf\\351.txt"'], allow_empty: true }],
    ["git_log", { follow: true, paths: ['"caf\\351.txt"'] }],
  ] as const)
    await resultOf(wire, tool, args);
  await failureOf(wire, "git_fetch");
  expect(existsSync(mark) ? readFileSync(mark, "utf8") : "").toBe("");
});
