import { type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openHistory } from "./history.ts";
import { openEmpty } from "./program.ts";

describe("history", () => {
  it("is filtered by git", async () => {
    const { plain, call, works, fails } = await openHistory();
    const commitsOf = async (args: Fields): Promise<readonly string[]> =>
      (await works<{ commits: { commit: string }[] }>("git_log", { max_count: 100, ...args })).commits.map(
        ({ commit }) => commit,
      );
    const plainLog = (...args: string[]): readonly string[] =>
      plain
        .git("log", "--abbrev=10", "--format=%h", ...args)
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
    for (const author of ["helper[bot]", "1+a(b)@example.org", "HELPER.*org>$", "A(b", "("])
      expect(await commitsOf({ author }), author).toEqual([newest]);
    expect(await commitsOf({ author: "(", grep: "^x" })).toEqual([newest]);
    // A pattern is named as it was given.
    for (const [args, named] of [
      [{ author: "(", grep: "a(b" }, "command line, 'a(b'"],
      [{ author: "(tess|helper" }, "header, '(tess|helper'"],
    ] as const)
      expect(await fails("git_log", args)).toMatchObject({
        code: "invalid_input",
        text: expect.stringContaining(
          `not a regular expression that git takes (git log: ${named}`,
        ) as unknown,
      });
    plain.git("reset", "-q", "--hard", "HEAD~1");
    plain.git("config", "grep.patternType", "fixed");
    expect(await commitsOf({ grep: "^(add|rename)" })).toEqual(plainLog("-E", "--grep=^(add|rename)"));
    plain.git("config", "log.follow", "true");
    expect(await commitsOf({ paths: ["a.txt"], skip: 1 })).toEqual(plainLog("v1"));
    const page = await works<{ commits: object[]; next_skip: number; note: string }>("git_log", {
      max_count: 2,
    });
    expect(page).toMatchObject({ next_skip: 2, note: "Continue with skip: 2." });
    expect(textOf(await call("git_log", { search: "line .*0" }))).toBe(
      "No commits match.\nsearch looks for exactly this text: case matters, and it is no pattern.",
    );
    for (const [tool, args] of [
      ["git_log", { grep: "add\\|change" }],
      ["git_grep", { pattern: "\\<line\\>" }],
    ] as const)
      expect(textOf(await call(tool, args))).toMatch(/^No .*\nPatterns are Perl's/);
    for (const name of ["n", "limit"])
      expect((await works<{ commits: object[] }>("git_log", { [name]: 2 })).commits).toHaveLength(2);
    const merges = await works<{ commits: object[] }>("git_log", { grep: "me" });
    expect(merges.commits.map((commit) => Object.keys(commit))).toEqual([
      ["commit", "parents", "author", "date", "subject"],
      ["commit", "author", "date", "subject"],
    ]);
    const { commits } = await works<{ commits: object[] }>("git_log", {
      range: "feature~1",
      max_count: 1,
      full: true,
    });
    expect(commits[0]).toMatchObject({
      subject: "add two",
      body: "Because one is not enough.",
      author: "Tess Ter",
    });
  });

  it("shows commits, merges against their first parent", async () => {
    const { plain, call, works } = await openHistory();
    const merge = plain.git("log", "--merges", "--format=%H", "-1");
    const shown = await works<{ diff: string; commit: { parents: string[] } }>("git_show", {
      revision: merge,
    });
    expect(shown.commit.parents).toHaveLength(2);
    expect(shown.diff).toBe(plain.git("diff", "-M", `${merge}^1`, merge));
    const root = await works("git_show", { revision: "v1" });
    expect(root["files"]).toHaveLength(3);
    expect(textOf(await call("git_show", { revision: "feature~1" }))).toMatch(
      /^Commit [0-9a-f]{40}, 2023-.*\n<untrusted-\w+>\nTess Ter <tess@example\.org>\nadd two\n/,
    );
  });

  it("has room for all of it, however long a subject is and however many tags a commit has", async () => {
    const { plain, works } = await openEmpty();
    plain.commit("first", { "a.txt": "a\n" });
    plain.write("a.txt", "b\n");
    await works("git_commit", { message: "x".repeat(90_000), files: ["a.txt"] });
    const commit = plain.git("rev-parse", "HEAD").trim();
    for (let tag = 0; tag < 60; tag += 1)
      plain.write(`.git/refs/tags/${tag}-${"t".repeat(200)}`, `${commit}\n`);
    const subject = `${"x".repeat(1000)}…`;
    const { commits } = await works<{ commits: { refs: string[] }[] }>("git_log");
    expect(commits).toMatchObject([{ subject }, { subject: "first" }]);
    expect(commits[0]?.refs).toHaveLength(51);
    const shown = await works("git_show", { revision: "HEAD" });
    expect(shown).toMatchObject({
      commit: { cut: true },
      note: expect.stringContaining("max_bytes") as unknown,
    });
    expect(shown["diff"]).toContain("+b");
    expect(await works("git_show", { revision: "HEAD", max_bytes: 400_000 })).toMatchObject({
      commit: { subject: "x".repeat(90_000) },
    });
    expect(await works("git_blame", { path: "a.txt" })).toMatchObject({ groups: [{ subject }] });
    expect(await works("git_branch")).toMatchObject({ branches: [{ subject }] });
    expect(await works("git_tags")).toHaveProperty(["tags", 0, "subject"], subject);
    expect(await works("git_reflog")).toHaveProperty(["entries", 1]);
    expect(await works("git_undo")).toMatchObject({ changes: [{ tool: "git_commit" }] });
  });

  it("lists branches, tags, reflog, work trees, stashes and remotes", async () => {
    const { plain, call, works, fails } = await openHistory();
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
      (await works<{ branches: { name: string }[] }>("git_branch", args)).branches
        .map(({ name }) => name)
        .toSorted();
    expect(await names({})).toEqual(["clean", "feature", "main"]);
    expect(await names({ contains: "v2" })).toEqual(["main"]);
    expect(await names({ merged: "main" })).toEqual(["clean", "main"]);
    expect(await names({ no_merged: "main" })).toEqual(["feature"]);
    expect(await works("git_tags")).toMatchObject({
      tags: [
        { name: "v1", annotated: false },
        {
          name: "v2",
          annotated: true,
          commit: plain.git("rev-parse", "--short=10", "v2^{commit}"),
          subject: "the second",
        },
      ],
    });
    // By the server, so long after the commit that it checks out was made.
    await works("git_checkout", { branch_name: "clean" });
    plain.git("switch", "-q", "main");
    const reflog = (...args: string[]): readonly string[] => plain.git("reflog", "-3", ...args).split("\n");
    const [commits, numbers, dates] = [
      reflog("--abbrev=10", "--format=%h"),
      reflog("--format=%gd"),
      reflog("--format=%gd", "--date=iso-strict"),
    ];
    for (const skip of [0, 1]) {
      const { entries } = await works<{ entries: Fields[] }>("git_reflog", { max_count: 2, skip });
      expect(entries.map(({ message: _, ...entry }) => entry)).toEqual(
        [0, 1].map((at) => ({
          name: numbers[skip + at],
          commit: commits[skip + at],
          date: dates[skip + at]?.slice("HEAD@{".length).slice(0, 16),
        })),
      );
    }
    const { code } = await fails("git_reflog", { ref: "HEAD@{1}" });
    expect(code).toBe("invalid_input");
    expect(await works("git_worktrees")).toMatchObject({
      worktrees: [{ path: plain.root, branch: "main" }],
    });
    expect(await works("git_stash_list")).toMatchObject({
      stashes: [{ name: "stash@{0}", message: "On main: aside" }],
    });
    const heading = async (tool: string): Promise<string> => textOf(await call(tool)).split("\n", 1)[0] ?? "";
    expect(await Promise.all(["git_tags", "git_worktrees", "git_stash_list"].map(heading))).toEqual([
      "2 tags:",
      "1 work tree:",
      "1 stash:",
    ]);
    const remotes = await call("git_remotes");
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

it("a date that git cannot read is empty", async () => {
  const { plain, works } = await openHistory();
  const person = "A <a@example.org> -86400 +0000";
  plain.write(".git/old", `tree ${plain.git("write-tree")}\nauthor ${person}\ncommitter ${person}\n\nold\n`);
  const id = plain.git("hash-object", "-t", "commit", "-w", "--literally", ".git/old");
  expect(await works("git_log", { range: id })).toMatchObject({ commits: [{ date: "" }] });
});
