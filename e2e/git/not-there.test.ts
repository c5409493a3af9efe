import { symlinkSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openHistory } from "./history.ts";

const MISTYPED =
  /Nothing in this repository has or had the path "scr\/one\.ts"\nDid you mean "src\/one\.ts"\?/;

describe("what is not there", () => {
  it("is said with what may have been meant", async () => {
    const { plain, fails } = await openHistory();
    plain.git("switch", "-q", "-c", "steps");
    plain.commit("many steps", { "a.txt": `${"a".repeat(40)}b\n` });
    plain.git("switch", "-q", "main");
    plain.write(".git/logs/refs/heads/clean", "");
    symlinkSync("src", join(plain.root, "link"));
    const rows: readonly (readonly [string, Fields, string, RegExp])[] = [
      ["git_log", { query: "fix" }, "invalid_input", /query: give grep for a pattern in messages/],
      ["git_log", { oneline: true }, "invalid_input", /oneline: leave it out/],
      ["git_log", { range: "featur" }, "not_found", /Did you mean "feature"\?/],
      ["git_log", { range: "v1..v3" }, "not_found", /There is no revision "v3"/],
      ["git_log", { range: "HEAD~1...nope" }, "not_found", /There is no revision "nope"/],
      ["git_log", { range: "nope..main" }, "not_found", /There is no revision "nope"/],
      ["git_show", { revision: "deadbeef" }, "not_found", /There is no revision "deadbeef"/],
      ["git_diff", { target: "main..featrue" }, "not_found", /Did you mean "feature"\?/],
      ["git_log", { range: "master" }, "not_found", /The current branch is "main"\./],
      ["git_log", { range: "@{u}..HEAD" }, "not_found", /no such upstream .*\nName the branch itself/],
      ["git_diff", { target: "nope@{upstream}" }, "not_found", /no such upstream/],
      ["git_branch", { contains: "clean@{1}" }, "not_found", /reflog does not go back that far/],
      ["git_add", { files: ["link/one.ts"] }, "invalid_input", /leads through a link/],
      ["git_read_file", { path: "old name.txt" }, "not_found", /"old name.txt" is not in "HEAD"/],
      [
        "git_read_file",
        { path: `${plain.root}/scr/one.ts` },
        "not_found",
        /"HEAD"\nDid you mean "src\/one\.ts"\?/,
      ],
      ["git_read_file", { path: "src/three.ts", revision: "v1" }, "not_found", /"v1"\ngit_list_files shows/],
      ["git_read_file", { path: "src" }, "invalid_input", /is a directory/],
      ["git_blame", { path: "old name.txt" }, "not_found", /not in the repository/],
      [
        "git_blame",
        { path: "scr/one.ts" },
        "not_found",
        /in the repository .*\nDid you mean "src\/one\.ts"\?/,
      ],
      ["git_blame", { path: "old name.txt", revision: "featrue" }, "not_found", /Did you mean "feature"\?/],
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
      ["git_add", { files: ["*.txt"] }, "not_found", /Patterns are not expanded here/],
      ["git_restore", { files: ["src/*.ts"] }, "not_found", /Patterns are not expanded here/],
      ["git_stash", { action: "list" }, "invalid_input", /action must be .*git_stash_list lists/],
      ["git_tag", { action: "list", name: "x" }, "invalid_input", /action must be .*git_tags lists/],
      [
        "git_worktree",
        { action: "list", path: "x" },
        "invalid_input",
        /action must be .*git_worktrees lists/,
      ],
      ...["git_show", "git_read_file"].map(
        (tool) =>
          [
            tool,
            { revision: "HEAD^{blob}", ...(tool === "git_show" ? {} : { path: "a.txt" }) },
            "invalid_input",
            /This revision is not a commit/,
          ] as const,
      ),
      ["git_show", { revision: "HEAD:../x" }, "invalid_input", /A path leads out of the repository/],
      ["git_diff", { target: "HEAD:../x" }, "invalid_input", /A path leads out of the repository/],
    ];
    for (const [tool, args, code, text] of rows) {
      const failure = await fails(tool, args);
      expect(failure, `${tool} ${JSON.stringify(args)}`).toMatchObject({ code });
      expect(failure.text).toMatch(text);
    }
  });
});

it("paths that were there once, or are not tracked, or are patterns, are no mistakes", async () => {
  const { plain, works } = await openHistory();
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
  for (const [tool, args, expected] of rows) expect(await works(tool, args), tool).toEqual(expected);
});
