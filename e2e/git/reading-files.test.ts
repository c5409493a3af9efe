import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createHistory, openHistory } from "./history.ts";
import { createPlace } from "../support/place.ts";
import { failureOf, openGit, resultOf, openEmpty } from "./program.ts";
import { itOnUnix } from "../support/programs.ts";

describe("files", () => {
  it("are listed, read, searched and blamed in any revision", async () => {
    const { plain, call, works, fails } = await openHistory();
    const { files, total } = await works<{ files: { path: string }[]; total: number }>("git_list_files", {});
    expect(files.map(({ path }) => path)).toContain('"caf\\351.txt"');
    expect(total).toBe(plain.bytes("ls-files", "-z").toString("latin1").split("\0").length - 1);
    const whole = await works<{ total: number }>("git_list_files", { revision: "v1" });
    expect(whole.total).toBe(3);
    const old = await works<{ files: { path: string }[] }>("git_list_files", {
      revision: "v1",
      paths: ["src"],
    });
    expect(old.files).toEqual([{ path: "src/one.ts" }]);
    const lines = await works("git_read_file", {
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
    expect(await works("git_read_file", { path: "blob.bin" })).toMatchObject({
      base64: "AAEC//4=",
      size: 5,
    });
    const matches = await works("git_grep", {
      pattern: "^feature$",
      revision: "feature",
      context: 1,
    });
    expect(matches["matches"]).toEqual([
      { path: "a.txt", line: 19, text: "line 19", context: true },
      { path: "a.txt", line: 20, text: "feature" },
      { path: "a.txt", line: 21, text: "line 21", context: true },
    ]);
    const digits = await works<{ matches: object[] }>("git_grep", { pattern: "^(?:line|x) \\d$" });
    expect(digits.matches).toHaveLength(9);
    const few = await works<{ matches: object[]; next_cursor: string }>("git_grep", {
      pattern: "line",
      limit: 10,
    });
    const more = await works<{ matches: { line: number }[] }>("git_grep", {
      pattern: "line",
      limit: 10,
      cursor: few.next_cursor,
    });
    expect(more.matches[0]?.line).toBe(11);
    const { groups } = await works<{ groups: { commit: string; lines: string[]; start_line: number }[] }>(
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
    expect(groups[1]?.commit).toBe(
      plain.git("log", "-1", "--abbrev=10", "--format=%h", "--grep=line 20 on main"),
    );
    expect(textOf(await call("git_blame", { path: "a.txt", line: 20 }))).toMatch(
      /^1 group of lines:\n<untrusted-\w+>\n.*\n20: main\n<\/untrusted/,
    );
    expect(await works("git_read_file", { path: "a.txt", line: 20 })).toMatchObject({
      text: "main",
    });
    plain.commit("names", { ":(top)x": "x\n", "app/[slug]": "x\n", "bidi\u202e.txt": "x\n" });
    for (const path of [":(top)x", "app/[slug]", "bidi\\u{202E}.txt"]) {
      const named = await works("git_list_files", { revision: "HEAD", paths: [path] });
      expect(named).toMatchObject({ files: [{ path }] });
    }
    const root = await works("git_list_files", { revision: "HEAD", paths: ["."] });
    expect(root).toEqual(await works("git_list_files", { revision: "HEAD" }));
    plain.write("long.txt", "x\n".repeat(5001));
    plain.write("large.txt", "x\n".repeat(5_000_000));
    plain.git("add", "long.txt", "large.txt");
    expect(await works("git_blame", { path: "long.txt" })).toMatchObject({ next_line: 5001 });
    expect(await works("git_blame", { path: "long.txt", start_line: 2 })).not.toHaveProperty("next_line");
    const { code } = await fails("git_read_file", { path: "large.txt", revision: ":", line: 1 });
    expect(code).toBe("too_large");
  });

  it("are searched in lines that end either way", async () => {
    const { plain, works, fails } = await openEmpty();
    plain.commit("both", { "crlf.txt": "one;\r\n\r\ntwo;\r\n", "lf.txt": "one;\n\ntwo;\n" });
    plain.write("crlf.txt", "new;\r\n\r\ntwo;\r\n");
    for (const [args, ...found] of [
      [{ pattern: ".*;$" }, "1 new;", "3 two;", "1 one;", "3 two;"],
      [{ pattern: "^ONE.$", ignore_case: true, words: true, revision: "HEAD" }, "1 one;", "1 one;"],
      [{ pattern: "^$" }, "2 ", "2 "],
      // To git, each line is a pattern.
      [{ pattern: "one;$\nnew;$" }, "1 new;", "1 one;"],
      [{ pattern: "new;\\r$" }, "1 new;"],
      [{ pattern: "(*UCP)new;$", context: 1 }, "1 new;", "2 "],
      [{ pattern: "(*LF)new;$" }],
      [{ pattern: ";$", fixed: true }],
    ] as const) {
      const { matches } = await works<{ matches: { line: number; text: string }[] }>("git_grep", args);
      expect(
        matches.map(({ line, text }) => `${line} ${text}`),
        JSON.stringify(args),
      ).toEqual(found);
    }
    expect((await fails("git_grep", { pattern: "new(" })).text).toContain("'new('");
  });

  it("that are not UTF-8 can be read, and their names given back", async () => {
    const { plain, works } = await openHistory();
    plain.write(Buffer.from("caf\xe9.txt", "latin1"), "accent\nmore\n");
    const status = await works<{ unstaged: { path: string }[] }>("git_status");
    const path = status.unstaged[0]?.path ?? "";
    expect(path).toBe('"caf\\351.txt"');
    expect((await works("git_diff_unstaged", { paths: [path] }))["diff"]).toContain("+more");
    expect(await works("git_read_file", { path })).toMatchObject({ text: "accent" });
    expect(await works("git_blame", { path, revision: "HEAD" })).toMatchObject({
      groups: [{ commit: plain.git("rev-parse", "--short=10", "HEAD"), lines: ["accent"] }],
    });
    expect(await works("git_log", { paths: [path], follow: true })).toMatchObject({
      commits: [{ subject: "odd files" }],
    });
    expect(await works("git_list_files", { paths: [path], revision: "HEAD" })).toMatchObject({
      files: [{ path }],
    });
    expect(await works("git_add", { files: [path] })).toMatchObject({ changed: [path] });
    expect(plain.bytes("diff", "--cached", "--name-only", "-z").toString("latin1")).toBe("caf\xe9.txt\0");
    expect(await works("git_restore", { files: [path], staged: true, worktree: true })).toMatchObject({
      changed: [path],
    });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(await works("git_read_file", { path: "latin.txt" })).toMatchObject({
      base64: "Y2Fm6Qo=",
    });
    plain.commit("line ends", { "cr\r": "cr\n", "l\nf": "lf\n" });
    for (const [name, text] of Object.entries({ '"cr\\r"': "cr", '"l\\nf"': "lf" }))
      expect(await works("git_read_file", { path: name })).toMatchObject({ text });
    const hidden = "a\u202Eb.txt";
    plain.write(hidden, "x\n");
    const shown = (await works<{ untracked: string[] }>("git_status")).untracked;
    expect(shown).toEqual(["a\\u{202E}b.txt"]);
    await works("git_add", { files: shown });
    expect(plain.bytes("diff", "--cached", "--name-only", "-z").toString()).toBe(`${hidden}\0`);
  });
});

itOnUnix(
  "patterns are extended where git was built without Perl's, and what only those have is refused",
  async () => {
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
  },
);
