import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { failureOf, openGit, Plain, resultOf } from "../git/program.ts";
import { createPlace } from "../support/place.ts";
import { describeOnUnix, itOnUnix } from "../support/programs.ts";

/** A repository that somebody has prepared, and a file beside it that is none of its business. */
function prepare(): { readonly plain: Plain; readonly victim: string } {
  const place = createPlace();
  const plain = Plain.init(join(place, "r"));
  plain.commit("first", { "a.txt": "a\n" });
  const victim = join(place, "victim");
  writeFileSync(victim, "api_key=precious\n");
  return { plain, victim };
}

describe("what a repository's configuration says", () => {
  itOnUnix("runs no program to reach git://", async () => {
    const { plain, victim } = prepare();
    const trap = `${victim}-trap`;
    const program = `${victim}.sh`;
    writeFileSync(program, `#!/bin/sh\ntouch ${trap}\n`);
    chmodSync(program, 0o755);
    plain.git("config", "core.gitProxy", program);
    plain.git("config", "remote.origin.url", "git://127.0.0.1:9/x");
    const wire = await openGit([plain.root, "--allow-network", "--all-tools"]);
    await failureOf(wire, "git_fetch", { remote: "origin" });
    expect(existsSync(trap)).toBe(false);
  });

  it("has no file outside read by blame", async () => {
    const { plain, victim } = prepare();
    const wire = await openGit([plain.root, "--all-tools"]);
    for (const file of [victim, "../victim", "~/victim"]) {
      plain.git("config", "blame.ignoreRevsFile", file);
      expect(JSON.stringify(await failureOf(wire, "git_blame", { path: "a.txt" }))).not.toContain("precious");
    }
    writeFileSync(join(plain.root, ".ignored"), "# none\n");
    plain.git("config", "blame.ignoreRevsFile", ".ignored");
    await resultOf(wire, "git_blame", { path: "a.txt" });
  });
});

describe("the state of an operation", () => {
  it("has no conflict resolved in files outside", async () => {
    const { plain, victim } = prepare();
    const known = "1".repeat(40);
    const folder = join(plain.root, ".git/rr-cache", known);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "preimage"), "api_key=precious\n");
    writeFileSync(join(folder, "postimage"), "api_key=evil\n");
    const ask = (): void => writeFileSync(join(plain.root, ".git/MERGE_RR"), `${known}.-1\t../victim\0`);
    ask();
    plain.write("b.txt", "b\n");
    const wire = await openGit([plain.root, "--all-tools"]);
    await resultOf(wire, "git_commit", { message: "m", files: ["b.txt"] });
    expect(readFileSync(victim, "utf8")).toBe("api_key=precious\n");
    expect(plain.git("status", "--porcelain")).toBe("");
    // Plain git does it.
    ask();
    plain.write("b.txt", "b2\n");
    plain.git("commit", "-qam", "m");
    expect(readFileSync(victim, "utf8")).toBe("api_key=evil\n");
  });

  it("has git apply write no file", async () => {
    const { plain, victim } = prepare();
    plain.git("switch", "-q", "-c", "side");
    plain.commit("one", { "a.txt": "one\n" });
    plain.commit("two", { "a.txt": "two\n" });
    const patches = join(plain.root, "..", "patches");
    plain.git("format-patch", "-q", "-2", "-o", patches);
    plain.git("switch", "-q", "main");
    plain.commit("main", { "a.txt": "main\n" });
    expect(() =>
      plain.git("am", "-q", join(patches, "0001-one.patch"), join(patches, "0002-two.patch")),
    ).toThrow("patch does not apply");
    plain.write("a.txt", "one\n");
    plain.git("add", "a.txt");
    plain.write(".git/rebase-apply/apply-opt", `'--build-fake-ancestor=${victim}'\n`);
    const wire = await openGit([plain.root, "--all-tools"]);
    for (const action of ["continue", "skip"]) {
      const { code } = await failureOf(wire, "git_continue_or_abort", { action });
      expect(code).toBe("permission_denied");
    }
    expect(readFileSync(victim, "utf8")).toBe("api_key=precious\n");
  });

  it("has no file outside read when a bisect ends", async () => {
    const { plain, victim } = prepare();
    plain.git("bisect", "start", "-q");
    plain.write(".git/BISECT_START", `--pathspec-from-file=${victim}\n`);
    const wire = await openGit([plain.root, "--all-tools"]);
    const { code, text } = await failureOf(wire, "git_continue_or_abort", { action: "abort" });
    expect(code).toBe("permission_denied");
    expect(text).not.toContain("precious");
  });

  it("has no settings of another work tree run when that is removed", async () => {
    const { plain, victim } = prepare();
    const tree = join(plain.root, "tree");
    plain.commit("attributes", { ".gitattributes": "* filter=evil\n" });
    plain.git("worktree", "add", "-q", "-b", "other", tree);
    plain.git("config", "extensions.worktreeConfig", "true");
    const trap = `${victim}-trap`;
    plain.write(".git/worktrees/tree/config.worktree", `[filter "evil"]\n\tclean = "touch ${trap}; cat"\n`);
    // Of the same size: git must look what is in it.
    plain.write("tree/a.txt", "b\n");
    const wire = await openGit([plain.root, "--all-tools"]);
    await failureOf(wire, "git_worktree", { action: "remove", path: tree });
    expect(existsSync(trap)).toBe(false);
  });
});

it("a forged entry of the undo list is none", async () => {
  const { plain, victim } = prepare();
  const commit = plain.git("rev-parse", "HEAD").trim();
  const tree = plain.git("rev-parse", "HEAD^{tree}").trim();
  const state = { head: "refs/heads/main", commit, refs: {}, index: tree, operation: null };
  const entry = {
    id: "20990101T000000000-abcd",
    time: "2026-01-01T00:00:00Z",
    tool: "git_commit",
    summary: "x",
    gitDir: join(plain.root, ".git"),
    before: { ...state, worktree: `--output=${victim}` },
    after: { ...state, worktree: tree },
  };
  const run = (args: readonly string[], input: string): string =>
    execFileSync("git", args, { cwd: plain.root, input, encoding: "utf8" }).trim();
  const blob = run(["hash-object", "-w", "--stdin"], JSON.stringify(entry));
  const folder = run(["mktree"], `100644 blob ${blob}\tentry.json\n`);
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
  const forged = run([...identity, "commit-tree", "-m", "x", folder], "");
  plain.git("update-ref", `refs/suite/undo/${entry.id}`, forged);
  const wire = await openGit([plain.root]);
  const { changes } = await resultOf(wire, "git_undo", {});
  expect(changes).toEqual([]);
  await failureOf(wire, "git_undo", { id: "last", dry_run: true });
  expect(readFileSync(victim, "utf8")).toBe("api_key=precious\n");
});

it("what is kept for git_undo is shown by nothing else", async () => {
  const { plain } = prepare();
  writeFileSync(join(plain.root, "b.txt"), "b\n");
  const wire = await openGit([plain.root, "--all-tools"]);
  const { undo: id } = await resultOf(wire, "git_add", { files: ["b.txt"] });
  expect(plain.git("log", "-1", "--format=%s", `refs/suite/undo/${String(id)}`)).toBe("stage b.txt");
  const names = [
    `refs/suite/undo/${String(id)}`,
    `suite/undo/${String(id)}^0`,
    `refs/SUITE/undo/${String(id)}`,
  ];
  for (const revision of [":/stage", `main-worktree/refs/suite/undo/${String(id)}`, ...names]) {
    const calls = [
      ["git_show", { revision }],
      ["git_log", { range: `HEAD..${revision}` }],
      ["git_diff", { target: revision }],
      ["git_reflog", { ref: revision }],
      ["git_branch", { contains: revision }],
      ["git_grep", { pattern: "id", revision }],
      ["git_list_files", { revision }],
      ["git_read_file", { path: "entry.json", revision }],
      ["git_create_branch", { branch_name: "mine", base_branch: revision }],
    ] as const;
    for (const [tool, args] of calls) {
      const { code, text } = await failureOf(wire, tool, args);
      expect([tool, revision, code]).toEqual([tool, revision, "invalid_input"]);
      expect(text).toMatch(/is not a revision: (?:it is kept for git_undo|messages are searched with grep)/);
    }
    for (const kind of ["commit", "file", "diff"]) {
      const uri = `git://r/${kind}/${encodeURIComponent(revision)}${kind === "file" ? "/entry.json" : ""}`;
      const { error } = await wire.request("resources/read", { uri });
      expect(error?.message, uri).toMatch(/is not a revision/);
    }
  }
  // The other side of a range, and a path that only an entry has.
  for (const revision of ["..:/stage", "HEAD..:/stage", `@...suite/undo/${String(id)}`]) {
    const { text } = await failureOf(wire, "git_blame", { revision, path: "entry.json" });
    expect(text).toMatch(/is not a revision: (?:it is kept for git_undo|messages are searched with grep)/);
    expect(await failureOf(wire, "git_list_files", { revision })).toMatchObject({ code: "invalid_input" });
  }
  expect(await failureOf(wire, "git_log", { paths: ["entry.json"] })).toMatchObject({ code: "not_found" });
  expect(JSON.stringify(await resultOf(wire, "git_log", { all: true }))).not.toContain("stage b.txt");
});

it("what is kept for git_undo is not found by its ids either", async () => {
  const { plain } = prepare();
  writeFileSync(join(plain.root, "b.txt"), "b\n");
  const wire = await openGit([plain.root, "--all-tools"]);
  const { undo: id } = await resultOf(wire, "git_add", { files: ["b.txt"] });
  const entry = plain.git("rev-parse", `refs/suite/undo/${String(id)}`);
  const tree = plain.git("rev-parse", `${entry}^{tree}`);
  const blob = plain.git("rev-parse", `${entry}:entry.json`);
  const commits = [entry, entry.slice(0, 7).toUpperCase(), `x-1-g${entry}`, `^${entry}`];
  const others = [`${entry}^{tree}`, tree, tree.slice(0, 7), blob];
  // Git looks for an id at the end, whatever comes before it.
  const described = [
    `a^b-g${entry}`,
    `a~b-g${entry}`,
    `:x-g${entry.slice(0, 7)}`,
    `HEAD:x-g${tree.slice(0, 7)}`,
    `HEAD:x-g${blob}`,
  ];
  const refused = ["invalid_input", "not_found"];
  for (const revision of [...commits, ...others, ...described]) {
    const calls = [
      ["git_show", { revision }],
      ["git_log", { range: `HEAD..${revision}` }],
      ["git_diff", { target: revision }],
      ["git_diff", { target: `HEAD..${revision}` }],
      ["git_grep", { pattern: "id", revision }],
      ["git_list_files", { revision }],
      ["git_read_file", { path: "entry.json", revision }],
      ["git_blame", { path: "entry.json", revision }],
      ["git_branch", { contains: revision }],
      ["git_create_branch", { branch_name: "mine", base_branch: revision }],
      ["git_checkout", { branch_name: revision }],
      ["git_restore", { files: ["entry.json"], source: revision }],
      ["git_tag", { name: "mine", target: revision }],
      ["git_cherry_pick", { revisions: [revision] }],
    ] as const;
    for (const [tool, args] of calls) {
      const { code, text } = await failureOf(wire, tool, args);
      expect(refused, `${tool} ${revision}: ${text}`).toContain(code);
      expect(text).not.toContain("stage b.txt");
    }
    for (const kind of ["commit", "file", "diff"]) {
      const uri = `git://r/${kind}/${encodeURIComponent(revision)}${kind === "file" ? "/entry.json" : ""}`;
      expect((await wire.request("resources/read", { uri })).error, uri).toBeDefined();
    }
  }
  for (const path of [`x-g${blob}`, `x-g${blob.slice(0, 7).toUpperCase()}`]) {
    for (const revision of ["HEAD", ":"])
      expect(await failureOf(wire, "git_read_file", { path, revision })).toMatchObject({ code: "not_found" });
    expect((await wire.request("resources/read", { uri: `git://r/file/HEAD/${path}` })).error).toBeDefined();
  }
  await failureOf(wire, "git_stash", { action: "apply", stash: entry });
  // Commits are still found by theirs, also where no branch has them any more.
  const dropped = plain.commit("dropped", { "c.txt": "c\n" });
  plain.git("reset", "-q", "--hard", "HEAD~1");
  for (const revision of [dropped, dropped.slice(0, 7), `${dropped}~0`])
    expect(await resultOf(wire, "git_read_file", { path: "c.txt", revision })).toMatchObject({ text: "c" });
});

describe("a mark that came with the repository", () => {
  const { pid } = process;
  const REUSED = { pid, start: "1" };
  const toMark = (...lines: readonly object[]): string =>
    lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const addWith = async (write: (file: string) => void): Promise<unknown> => {
    const { plain } = prepare();
    const folder = join(plain.root, ".git", "suite");
    mkdirSync(folder);
    write(join(folder, "writing.json"));
    writeFileSync(join(plain.root, "b.txt"), "b\n");
    const wire = await openGit([plain.root]);
    return (await resultOf(wire, "git_add", { files: ["b.txt"] }))["changed"];
  };

  describeOnUnix("also a pipe,", () => {
    it.each<[string, (file: string) => void]>([
      ["a pipe", (file) => void execFileSync("mkfifo", [file])],
      ["a pipe where it would be written", (file) => void execFileSync("mkfifo", [`${file}.new`])],
      ["from the future", (file) => writeFileSync(file, toMark({ pid: 1, started: 1e15 }))],
      [
        "of a process whose id another has now",
        (file) => writeFileSync(file, toMark({ ...REUSED, started: Date.now() }, REUSED)),
      ],
    ])("may be %s", async (_, write) => {
      expect(await addWith(write)).toEqual(["b.txt"]);
    });
  });
});

itOnUnix("a kept index that is a pipe is not waited for", async () => {
  const { plain } = prepare();
  plain.write("b.txt", "b\n");
  const wire = await openGit([plain.root]);
  const { undo: id } = await resultOf(wire, "git_add", { files: ["b.txt"] });
  const kept = join(plain.root, ".git", "suite", `${String(id)}.index`);
  rmSync(kept);
  execFileSync("mkfifo", [kept]);
  expect(await failureOf(wire, "git_undo", { id })).toMatchObject({ code: "unsupported" });
  expect(plain.git("status", "--porcelain")).toBe("A  b.txt");
});
