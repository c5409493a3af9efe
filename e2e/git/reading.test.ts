import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { callTool, textOf } from "../support/calls.ts";
import type { Fields } from "../support/message.ts";
import { createHistory, openHistory } from "./history.ts";
import { createPlace } from "../support/place.ts";
import { failureOf, openGit, resultOf } from "./program.ts";

describe("history", () => {
  it("is filtered by git", async () => {
    const { wire, plain } = await openHistory();
    const commitsOf = async (args: Fields): Promise<readonly string[]> =>
      (
        await resultOf<{ commits: { commit: string }[] }>(wire, "git_log", { max_count: 100, ...args })
      ).commits.map(({ commit }) => commit);
    const plainLog = (...args: string[]): readonly string[] =>
      plain
        .git("log", "--format=%H", ...args)
        .split("\n")
        .filter((line) => line !== "");
    const rows: readonly (readonly [Fields, readonly string[]])[] = [
      [{}, []],
      [{ all: true }, ["--all"]],
      [{ range: "v1..main" }, ["v1..main"]],
      [{ range: "feature...main" }, ["feature...main"]],
      [{ grep: "LINE 20" }, ["-i", "--grep=LINE 20"]],
      [{ grep: "^(?:add|change) " }, ["-E", "--grep=^(add|change) "]],
      [{ author: "tess" }, ["-i", "--author=tess"]],
      [{ author: "nobody|^tess" }, []],
      [{ S: "feature", all: true }, ["-Sfeature", "--all"]],
      [{ paths: ["src"] }, ["--", "src"]],
      [{ paths: ["*.ts"] }, ["--", ":(glob)*.ts"]],
      [{ paths: ["new name.txt"], follow: true }, ["--follow", "--", "new name.txt"]],
      [{ since: "2030-01-01" }, ["--since=2030-01-01"]],
      [{ until: "2030-01-01", skip: 2 }, ["--until=2030-01-01", "--skip=2"]],
      // Everything was made at 22:13 of that day, in UTC: a day is a whole one, whatever time it is now.
      [{ since: "2023-11-14" }, []],
      [{ until: "2023-11-15" }, []],
      [{ until: "2023-11-13" }, ["--max-count=0"]],
      [{ since: "today" }, ["--max-count=0"]],
      [{ path: "src" }, ["--", "src"]],
      [{ search: "line 20", skip: 1 }, ["-Sline 20", "--max-count=1", "v1"]],
      [{ paths: ["new name.txt"], follow: true, skip: 1 }, ["v1", "--", "old name.txt"]],
      // It was renamed long ago.
      [{ paths: ["old name.txt"] }, ["--", "old name.txt"]],
    ];
    for (const [args, expected] of rows)
      expect(await commitsOf(args), JSON.stringify(args)).toEqual(plainLog(...expected));
    plain.git("commit", "-q", "--allow-empty", "-m", "x", "--author=helper[bot] <1+a(b)@example.org>");
    const [newest] = plainLog("-1");
    for (const author of ["helper[bot]", "1+a(b)@example.org", "HELPER.*org>$"])
      expect(await commitsOf({ author }), author).toEqual([newest]);
    expect(await failureOf(wire, "git_log", { author: "a(b" })).toMatchObject({
      code: "invalid_input",
      text: expect.stringContaining("not a regular expression") as unknown,
    });
    plain.git("reset", "-q", "--hard", "HEAD~1");
    plain.git("config", "grep.patternType", "fixed");
    expect(await commitsOf({ grep: "^(add|rename)" })).toEqual(plainLog("-E", "--grep=^(add|rename)"));
    plain.git("config", "log.follow", "true");
    expect(await commitsOf({ paths: ["a.txt"], skip: 1 })).toEqual(plainLog("v1"));
    const page = await resultOf<{ commits: object[]; next_skip: number; note: string }>(wire, "git_log", {
      max_count: 2,
    });
    expect(page).toMatchObject({ next_skip: 2, note: "There are older commits. Continue with skip: 2." });
    expect(textOf(await callTool(wire, "git_log", { search: "line .*0" }))).toBe(
      "No commits match.\nsearch is plain text, not a pattern.",
    );
    for (const [tool, args] of [
      ["git_log", { grep: "add\\|change" }],
      ["git_grep", { pattern: "\\<line\\>" }],
    ] as const)
      expect(textOf(await callTool(wire, tool, args))).toMatch(/^No .*\nPatterns are Perl's/);
    for (const name of ["n", "limit"])
      expect((await resultOf<{ commits: object[] }>(wire, "git_log", { [name]: 2 })).commits).toHaveLength(2);
    const merges = await resultOf<{ commits: object[] }>(wire, "git_log", { grep: "me" });
    expect(merges.commits.map((commit) => Object.keys(commit))).toEqual([
      ["commit", "parents", "author", "date", "subject"],
      ["commit", "author", "date", "subject"],
    ]);
    const { commits } = await resultOf<{ commits: object[] }>(wire, "git_log", {
      range: "feature~1",
      max_count: 1,
      full: true,
    });
    expect(commits[0]).toMatchObject({
      subject: "add two",
      body: "Because one is not enough.",
      author: "Tess Ter",
      email: "tess@example.org",
    });
  });

  it("shows commits, merges against their first parent", async () => {
    const { wire, plain } = await openHistory();
    const merge = plain.git("log", "--merges", "--format=%H", "-1");
    const shown = await resultOf<{ diff: string; commit: { parents: string[] } }>(wire, "git_show", {
      revision: merge,
    });
    expect(shown.commit.parents).toHaveLength(2);
    expect(shown.diff).toBe(plain.git("diff", "-M", `${merge}^1`, merge));
    const root = await resultOf(wire, "git_show", { revision: "v1" });
    expect(root["files"]).toHaveLength(3);
    expect(textOf(await callTool(wire, "git_show", { revision: "feature~1" }))).toMatch(
      /^Commit [0-9a-f]{40}, 2023-.*\n<untrusted-\w+>\nTess Ter <tess@example\.org>\nadd two\n/,
    );
  });

  it("lists branches, tags, reflog, work trees, stashes and remotes", async () => {
    const { wire, plain } = await openHistory();
    plain.git("remote", "add", "origin", "https://someone:secret@example.org/x.git");
    plain.git("remote", "add", "spaced", "https://someone:my secret@example.org/my repos/x.git");
    plain.git("config", "remote.spaced.partialCloneFilter", "blob:none");
    plain.git("config", "remote.spaced.promisor", "true");
    plain.git("config", "remote.nowhere.prune", "true");
    for (const url of ["/srv/one", "/srv/t wo"])
      plain.git("remote", "set-url", "--add", "--push", "origin", url);
    plain.write("a.txt", "stashed\n");
    plain.git("stash", "-q", "-m", "aside");
    const names = async (args: Fields): Promise<readonly string[]> =>
      (await resultOf<{ branches: { name: string }[] }>(wire, "git_branch", args)).branches
        .map(({ name }) => name)
        .toSorted();
    expect(await names({})).toEqual(["clean", "feature", "main"]);
    expect(await names({ contains: "v2" })).toEqual(["main"]);
    expect(await names({ merged: "main" })).toEqual(["clean", "main"]);
    expect(await names({ no_merged: "main" })).toEqual(["feature"]);
    expect(await resultOf(wire, "git_tags")).toMatchObject({
      tags: [
        { name: "v1", annotated: false },
        { name: "v2", annotated: true, commit: plain.git("rev-parse", "v2^{commit}"), subject: "the second" },
      ],
    });
    // By the server, so long after the commit that it checks out was made.
    await resultOf(wire, "git_checkout", { branch_name: "clean" });
    plain.git("switch", "-q", "main");
    const reflog = (...args: string[]): readonly string[] => plain.git("reflog", "-3", ...args).split("\n");
    const [commits, numbers, dates] = [
      reflog("--format=%H"),
      reflog("--format=%gd"),
      reflog("--format=%gd", "--date=iso-strict"),
    ];
    for (const skip of [0, 1]) {
      const { entries } = await resultOf<{ entries: Fields[] }>(wire, "git_reflog", { max_count: 2, skip });
      expect(entries.map(({ message: _, ...entry }) => entry)).toEqual(
        [0, 1].map((at) => ({
          name: numbers[skip + at],
          commit: commits[skip + at],
          date: dates[skip + at]?.slice("HEAD@{".length, -1),
        })),
      );
    }
    const { code } = await failureOf(wire, "git_reflog", { ref: "HEAD@{1}" });
    expect(code).toBe("invalid_input");
    expect(await resultOf(wire, "git_worktrees")).toMatchObject({
      worktrees: [{ path: plain.root, branch: "main" }],
    });
    expect(await resultOf(wire, "git_stash_list")).toMatchObject({
      stashes: [{ name: "stash@{0}", message: "On main: aside" }],
    });
    const heading = async (tool: string): Promise<string> =>
      textOf(await callTool(wire, tool)).split("\n", 1)[0] ?? "";
    expect(await Promise.all(["git_tags", "git_worktrees", "git_stash_list"].map(heading))).toEqual([
      "2 tags:",
      "1 work tree:",
      "1 stash:",
    ]);
    const remotes = await callTool(wire, "git_remotes");
    expect(JSON.stringify(remotes)).not.toContain("secret");
    const spaced = "https://***@example.org/my repos/x.git";
    expect(remotes.result?.["structuredContent"]).toMatchObject({
      remotes: [
        { name: "nowhere", fetch_url: "", push_url: "" },
        { name: "origin", fetch_url: "https://***@example.org/x.git", push_url: "/srv/t wo" },
        { name: "spaced", fetch_url: spaced, push_url: spaced },
      ],
    });
  });
});

describe("files", () => {
  it("are listed, read, searched and blamed in any revision", async () => {
    const { wire, plain } = await openHistory();
    const { files, total } = await resultOf<{ files: { path: string }[]; total: number }>(
      wire,
      "git_list_files",
      {},
    );
    expect(files.map(({ path }) => path)).toContain('"caf\\351.txt"');
    expect(total).toBe(plain.bytes("ls-files", "-z").toString("latin1").split("\0").length - 1);
    const whole = await resultOf<{ total: number }>(wire, "git_list_files", { revision: "v1" });
    expect(whole.total).toBe(3);
    const old = await resultOf<{ files: { path: string }[] }>(wire, "git_list_files", {
      revision: "v1",
      paths: ["src"],
    });
    expect(old.files).toEqual([{ path: "src/one.ts", type: "file" }]);
    const lines = await resultOf(wire, "git_read_file", {
      path: "a.txt",
      revision: "feature",
      start_line: 19,
      end_line: 21,
    });
    expect(lines).toMatchObject({
      text: "line 19\nfeature\nline 21",
      start_line: 19,
      end_line: 21,
      total_lines: 40,
    });
    expect(await resultOf(wire, "git_read_file", { path: "blob.bin" })).toMatchObject({
      base64: "AAEC//4=",
      size: 5,
    });
    const matches = await resultOf(wire, "git_grep", {
      pattern: "^feature$",
      revision: "feature",
      context: 1,
    });
    expect(matches["matches"]).toEqual([
      { path: "a.txt", line: 19, text: "line 19", context: true },
      { path: "a.txt", line: 20, text: "feature" },
      { path: "a.txt", line: 21, text: "line 21", context: true },
    ]);
    const digits = await resultOf<{ matches: object[] }>(wire, "git_grep", { pattern: "^(?:line|x) \\d$" });
    expect(digits.matches).toHaveLength(9);
    const few = await resultOf<{ matches: object[]; next_cursor: string }>(wire, "git_grep", {
      pattern: "line",
      limit: 10,
    });
    const more = await resultOf<{ matches: { line: number }[] }>(wire, "git_grep", {
      pattern: "line",
      limit: 10,
      cursor: few.next_cursor,
    });
    expect(more.matches[0]?.line).toBe(11);
    const { groups } = await resultOf<{ groups: { commit: string; lines: string[]; start_line: number }[] }>(
      wire,
      "git_blame",
      {
        path: "a.txt",
        start_line: 19,
        end_line: 21,
      },
    );
    expect(groups.map(({ lines: texts, start_line: start }) => [start, texts])).toEqual([
      [19, ["line 19"]],
      [20, ["main"]],
      [21, ["line 21"]],
    ]);
    expect(groups[1]?.commit).toBe(plain.git("log", "-1", "--format=%H", "--grep=line 20 on main"));
    expect(textOf(await callTool(wire, "git_blame", { path: "a.txt", line: 20 }))).toMatch(
      /^1 group of lines:\n<untrusted-\w+>\n.*\n20: main\n<\/untrusted/,
    );
    expect(await resultOf(wire, "git_read_file", { path: "a.txt", line: 20 })).toMatchObject({
      text: "main",
    });
    plain.commit("names", { ":(top)x": "x\n", "app/[slug]": "x\n", "bidi\u202e.txt": "x\n" });
    for (const path of [":(top)x", "app/[slug]", "bidi\\u{202E}.txt"]) {
      const named = await resultOf(wire, "git_list_files", { revision: "HEAD", paths: [path] });
      expect(named).toMatchObject({ files: [{ path }] });
    }
    const root = await resultOf(wire, "git_list_files", { revision: "HEAD", paths: ["."] });
    expect(root).toEqual(await resultOf(wire, "git_list_files", { revision: "HEAD" }));
    plain.write("long.txt", "x\n".repeat(5001));
    plain.write("large.txt", "x\n".repeat(5_000_000));
    plain.git("add", "long.txt", "large.txt");
    expect(await resultOf(wire, "git_blame", { path: "long.txt" })).toMatchObject({ next_line: 5001 });
    expect(await resultOf(wire, "git_blame", { path: "long.txt", start_line: 2 })).not.toHaveProperty(
      "next_line",
    );
    const { code } = await failureOf(wire, "git_read_file", { path: "large.txt", revision: ":", line: 1 });
    expect(code).toBe("too_large");
  });

  it("that are not UTF-8 can be read, and their names given back", async () => {
    const { wire, plain } = await openHistory();
    plain.write(Buffer.from("caf\xe9.txt", "latin1"), "accent\nmore\n");
    const status = await resultOf<{ unstaged: { path: string }[] }>(wire, "git_status");
    const path = status.unstaged[0]?.path ?? "";
    expect(path).toBe('"caf\\351.txt"');
    expect((await resultOf(wire, "git_diff_unstaged", { paths: [path] }))["diff"]).toContain("+more");
    expect(await resultOf(wire, "git_read_file", { path })).toMatchObject({ text: "accent" });
    expect(await resultOf(wire, "git_blame", { path, revision: "HEAD" })).toMatchObject({
      groups: [{ commit: plain.git("rev-parse", "HEAD"), lines: ["accent"] }],
    });
    expect(await resultOf(wire, "git_log", { paths: [path], follow: true })).toMatchObject({
      commits: [{ subject: "odd files" }],
    });
    expect(await resultOf(wire, "git_list_files", { paths: [path], revision: "HEAD" })).toMatchObject({
      files: [{ path }],
    });
    expect(await resultOf(wire, "git_add", { files: [path] })).toMatchObject({ changed: [path] });
    expect(plain.bytes("diff", "--cached", "--name-only", "-z").toString("latin1")).toBe("caf\xe9.txt\0");
    expect(
      await resultOf(wire, "git_restore", { files: [path], staged: true, worktree: true }),
    ).toMatchObject({
      changed: [path],
    });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(await resultOf(wire, "git_read_file", { path: "latin.txt" })).toMatchObject({
      base64: "Y2Fm6Qo=",
    });
    plain.commit("line ends", { "cr\r": "cr\n", "l\nf": "lf\n" });
    for (const [name, text] of Object.entries({ '"cr\\r"': "cr", '"l\\nf"': "lf" }))
      expect(await resultOf(wire, "git_read_file", { path: name })).toMatchObject({ text });
    const hidden = "a\u202Eb.txt";
    plain.write(hidden, "x\n");
    const shown = (await resultOf<{ untracked: string[] }>(wire, "git_status")).untracked;
    expect(shown).toEqual(["a\\u{202E}b.txt"]);
    await resultOf(wire, "git_add", { files: shown });
    expect(plain.bytes("diff", "--cached", "--name-only", "-z").toString()).toBe(`${hidden}\0`);
  });
});

it("patterns are extended where git was built without Perl's, and what only those have is refused", async () => {
  const folder = createPlace();
  const script = `#!/bin/sh
PATH='${process.env["PATH"]}'
case "$*" in *grep.patternType=extended*|*"--fixed-strings"*) exec git "$@";; *" grep "*|*--grep=*)
  echo "fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE" >&2; exit 128;;
esac
exec git "$@"
`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  const plain = createHistory();
  const wire = await openGit(["--all-tools", plain.root], {
    env: { PATH: `${folder}:${process.env["PATH"]}` },
  });
  expect((await resultOf(wire, "git_log", { grep: "^(add|rename)" }))["commits"]).toHaveLength(2);
  expect((await resultOf(wire, "git_grep", { pattern: "^line [0-9]$" }))["matches"]).toHaveLength(9);
  for (const [tool, args] of [
    ["git_log", { grep: "^(?:add)" }],
    ["git_grep", { pattern: "^line \\d$" }],
  ] as const)
    expect(await failureOf(wire, tool, args)).toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("[0-9] for") as unknown,
    });
});

it("a date that git cannot read is empty", async () => {
  const { wire, plain } = await openHistory();
  const person = "A <a@example.org> -86400 +0000";
  plain.write(".git/old", `tree ${plain.git("write-tree")}\nauthor ${person}\ncommitter ${person}\n\nold\n`);
  const id = plain.git("hash-object", "-t", "commit", "-w", "--literally", ".git/old");
  expect(await resultOf(wire, "git_log", { range: id })).toMatchObject({ commits: [{ date: "" }] });
});

const MISTYPED =
  /Nothing in this repository has or had the path "scr\/one\.ts"\nDid you mean "src\/one\.ts"\?/;

describe("what is not there", () => {
  it("is said with what may have been meant", async () => {
    const { wire, plain } = await openHistory();
    plain.git("switch", "-q", "-c", "steps");
    plain.commit("many steps", { "a.txt": `${"a".repeat(40)}b\n` });
    plain.git("switch", "-q", "main");
    const rows: readonly (readonly [string, Fields, string, RegExp])[] = [
      ["git_log", { query: "fix" }, "invalid_input", /query: give grep for a pattern in messages/],
      ["git_log", { oneline: true }, "invalid_input", /oneline: leave it out/],
      ["git_log", { range: "featur" }, "not_found", /Did you mean "feature"\?/],
      ["git_log", { range: "v1..v3" }, "not_found", /There is no revision "v3"/],
      ["git_log", { range: "HEAD~1...nope" }, "not_found", /There is no revision "nope"/],
      ["git_log", { range: "nope..main" }, "not_found", /There is no revision "nope"/],
      ["git_show", { revision: "deadbeef" }, "not_found", /There is no revision "deadbeef"/],
      ["git_diff", { target: "main..featrue" }, "not_found", /Did you mean "feature"\?/],
      ["git_read_file", { path: "nope.txt" }, "not_found", /"nope.txt" is not in "HEAD"/],
      ["git_read_file", { path: "src" }, "invalid_input", /is a directory/],
      ["git_blame", { path: "nope.txt" }, "not_found", /not in the repository/],
      ["git_blame", { path: "a.txt", line: 2, end_line: 3 }, "invalid_input", /line/],
      ["git_blame", { path: "a.txt", start_line: 900 }, "invalid_input", /has only 40 lines/],
      ["git_grep", { pattern: "(" }, "invalid_input", /./],
      ["git_grep", { pattern: "^(a|a)*$", revision: "steps" }, "too_large", /too many steps/],
      ["git_status", { repo_path: "/nowhere" }, "permission_denied", /./],
      ...["git_log", "git_diff_unstaged", "git_list_hunks", "git_list_files"].map(
        (tool) => [tool, { paths: ["scr/one.ts"] }, "not_found", MISTYPED] as const,
      ),
      ["git_log", { paths: ["scr/one.ts"], follow: true }, "not_found", MISTYPED],
      ["git_log", { follow: true }, "invalid_input", /follow is for one file/],
      ["git_log", { paths: ["a.txt", "src"], follow: true }, "invalid_input", /follow is for one file/],
      ["git_diff", { target: "v1..main", paths: ["scr/one.ts"] }, "not_found", MISTYPED],
      ["git_show", { revision: "main", paths: ["scr/one.ts"] }, "not_found", MISTYPED],
      ["git_grep", { pattern: "one", paths: ["scr"] }, "not_found", /Did you mean "src"\?/],
      ["git_list_files", { revision: "v1", paths: ["scr"] }, "not_found", /Did you mean "src"\?/],
      ["git_list_files", { revision: "v1", paths: ["src/*.ts"] }, "unsupported", /together with revision/],
      ...["blurgh9", "2026-13-45", "a week ago", "2024", "in 2 days", ""].map(
        (since) => ["git_log", { since }, "invalid_input", /since is not a date/] as const,
      ),
      ["git_diff", {}, "invalid_input", /git_diff_unstaged and git_diff_staged/],
      ["git_diff", { from: "v1", to: "main" }, "invalid_input", /from: give both in target, as in/],
      ["git_reset", { hard: true }, "invalid_input", /hard: give mode: "hard"\./],
      ["git_commit", { message: "x", all: true }, "invalid_input", /all: name what to stage in files/],
    ];
    for (const [tool, args, code, text] of rows) {
      const failure = await failureOf(wire, tool, args);
      expect(failure, `${tool} ${JSON.stringify(args)}`).toMatchObject({ code });
      expect(failure.text).toMatch(text);
    }
  });
});

it("paths that were there once, or are not tracked, or are patterns, are no mistakes", async () => {
  const { wire, plain } = await openHistory();
  plain.commit("lost", { "lost.txt": "x\n" });
  const lost = plain.commit("and nothing more", {});
  plain.git("reset", "-q", "--hard", "HEAD~2");
  plain.git("reflog", "expire", "--expire=now", "--all");
  plain.write("untracked.txt", "x\n");
  const rows: readonly (readonly [string, Fields, Fields])[] = [
    ["git_diff", { target: `${lost}~1..${lost}`, paths: ["lost.txt"] }, { diff: "" }],
    ["git_diff_unstaged", { paths: ["old name.txt"] }, { diff: "" }],
    ["git_diff", { target: "HEAD", paths: ["untracked.txt"] }, { diff: "" }],
    ["git_grep", { pattern: "x{9}", paths: ["old name.txt", "src/*.ts"] }, { matches: [] }],
    ["git_list_files", { revision: "v1", paths: ["new name.txt"] }, { files: [], total: 0 }],
    ["git_log", { paths: ["src"], author: "nobody" }, { commits: [] }],
    ["git_log", { paths: ["*.nope"] }, { commits: [] }],
  ];
  for (const [tool, args, expected] of rows) expect(await resultOf(wire, tool, args), tool).toEqual(expected);
});
