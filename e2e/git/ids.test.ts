import { execFileSync } from "node:child_process";

import { callTool, type Fields, textOf } from "@suite/check/wires";
import { expect, it } from "vitest";

import { failureOf, openGit, Plain, resultOf, openEmpty } from "./program.ts";

it("a file may be called like something with an id at its end", async () => {
  const plain = Plain.init();
  const id = plain.commit("first", { "a.txt": "a\n" });
  const names = [`x-g${id}`, `deep/x-g${id.slice(0, 7)}`, `b[1]*-g${id.slice(0, 7)}`];
  plain.commit("second", Object.fromEntries(names.map((name) => [name, "committed\n"])));
  for (const name of names) plain.write(name, "staged\n");
  plain.git("add", "-A");
  const bytes = Buffer.concat([Buffer.of(0xe9), Buffer.from(`-g${id.slice(0, 7)}`)]);
  plain.write(bytes, "no text\n");
  plain.git("add", "-A");
  const wire = await openGit([plain.root, "--all-tools"]);
  for (const path of names) {
    expect(await resultOf(wire, "git_read_file", { path })).toMatchObject({ text: "committed" });
    expect(await resultOf(wire, "git_read_file", { path, revision: ":" })).toMatchObject({ text: "staged" });
    expect(await failureOf(wire, "git_read_file", { path, revision: id })).toMatchObject({
      code: "not_found",
    });
  }
  const path = `"\\351-g${id.slice(0, 7)}"`;
  expect(await resultOf(wire, "git_read_file", { path, revision: ":" })).toMatchObject({ text: "no text" });
  plain.git("commit", "-q", "-m", "third");
  expect(await resultOf(wire, "git_read_file", { path })).toMatchObject({ text: "no text" });
});

/** So many commits that ids of some begin alike: always the same, because all that is in them is. */
function commitMany(
  plain: Plain,
  emails: readonly string[],
): readonly (readonly [id: string, email: string])[] {
  const first = plain.commit("first", { "a.txt": "a\n" });
  const commits = Array.from({ length: 1000 }, (_, index) =>
    [
      "commit refs/heads/many",
      `committer Tess Ter <${emails[index % emails.length]}> 1700000000 +0000`,
      `data ${String(index).length}`,
      String(index),
      `from ${first}`,
      "",
    ].join("\n"),
  );
  execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: plain.root, input: commits.join("\n") });
  const ids = plain.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
  const log = plain.git("log", "--no-walk", "--format=%H %ce", ...ids).split("\n");
  return log.map((line) => line.split(" ") as [string, string]);
}

it("a short id of several commits is ambiguous, and says which they are", async () => {
  const plain = Plain.init();
  const ids = commitMany(plain, ["tess@example.org"]).map(([id]) => id);
  const start = ids.map((id) => id.slice(0, 4)).find((four, at, all) => all.indexOf(four) < at) ?? "";
  const alike = ids.filter((id) => id.startsWith(start)).toSorted();
  const before = plain.git("for-each-ref");
  const wire = await openGit([plain.root, "--all-tools"]);
  const asked = [start, start.toUpperCase(), `v1-2-g${start}`, `${start}~1`];
  const calls = [...asked.map((revision) => ["git_show", { revision }] as const), ...writesFrom(start)];
  for (const [tool, args] of calls) {
    const { code, text } = await failureOf(wire, tool, args);
    expect([tool, args, code]).toEqual([tool, args, "invalid_input"]);
    expect(text).toContain("is ambiguous: several ids begin like that");
    const [, candidates = ""] = /Commits: ([\da-f, ]+)/.exec(text) ?? [];
    const named = candidates.split(", ").flatMap((short) => alike.filter((id) => id.startsWith(short)));
    expect(named.toSorted()).toEqual(alike);
  }
  expect(plain.git("for-each-ref")).toBe(before);
});

/** Every way to name a commit to a tool that writes. */
const writesFrom = (revision: string): readonly (readonly [tool: string, args: Fields])[] => [
  ["git_create_branch", { branch_name: "new", base_branch: revision }],
  ["git_checkout", { branch_name: revision }],
  ["git_reset", { target: revision }],
  ["git_reset", { target: revision, files: ["a.txt"] }],
  ["git_restore", { files: ["a.txt"], source: revision }],
  ["git_merge", { target: revision }],
  ["git_rebase", { target: revision }],
  ["git_rebase", { target: "HEAD", onto: revision }],
  ["git_cherry_pick", { revisions: ["HEAD", revision] }],
  ["git_revert", { revisions: [revision] }],
  ["git_tag", { name: "new", target: revision }],
  ["git_worktree", { action: "add", path: "beside", branch: revision }],
];

it("a range is no revision", async () => {
  const plain = Plain.init();
  plain.commit("first", { "a.txt": "a\n" });
  plain.commit("second", { "a.txt": "b\n" });
  const before = [plain.git("for-each-ref"), plain.git("status", "--porcelain")];
  const wire = await openGit([plain.root, "--all-tools"]);
  for (const range of ["HEAD~1..HEAD", "HEAD~1...HEAD", "..HEAD", "main.."]) {
    const reads: readonly (readonly [tool: string, args: Fields])[] = [
      ["git_show", { revision: range }],
      ["git_read_file", { path: "a.txt", revision: range }],
      ["git_list_files", { revision: range }],
      ["git_grep", { pattern: "a", revision: range }],
      ["git_branch", { merged: range }],
    ];
    for (const [tool, args] of [...reads, ...writesFrom(range)]) {
      const { code, text } = await failureOf(wire, tool, args);
      expect([tool, code]).toEqual([tool, "invalid_input"]);
      expect(text, tool).toMatch(
        /is not a revision: it is a range|is not a name for a branch|git does not accept/i,
      );
    }
  }
  expect([plain.git("for-each-ref"), plain.git("status", "--porcelain")]).toEqual(before);
});

it("a name of a branch and a tag is ambiguous, and means the branch where only a branch can be meant", async () => {
  const plain = Plain.init();
  const first = plain.commit("first", { "a.txt": "a\n" });
  plain.git("tag", "both");
  plain.commit("second", { "a.txt": "b\n" });
  plain.git("branch", "both");
  plain.git("config", "core.warnAmbiguousRefs", "false");
  const before = plain.git("for-each-ref");
  const wire = await openGit([plain.root, "--all-tools"]);
  const reads: readonly (readonly [tool: string, args: Fields])[] = [
    ["git_show", { revision: "both" }],
    ["git_log", { range: "both..main" }],
    ["git_diff", { target: "both" }],
    ["git_read_file", { path: "a.txt", revision: "both" }],
    ["git_list_files", { revision: "both" }],
    ["git_grep", { pattern: "a", revision: "both" }],
    ["git_blame", { path: "a.txt", revision: "both" }],
    ["git_branch", { merged: "both" }],
  ];
  for (const [tool, args] of [...reads, ...writesFrom("both")]) {
    if (tool === "git_checkout") continue;
    const { code, text } = await failureOf(wire, tool, args);
    expect([tool, args, code]).toEqual([tool, args, "invalid_input"]);
    expect(text).toContain('"both" is ambiguous: several refs have that name');
  }
  expect(plain.git("for-each-ref")).toBe(before);
  expect(await resultOf(wire, "git_show", { revision: "refs/tags/both" })).toMatchObject({
    commit: { commit: first },
  });
  const moved = await callTool(wire, "git_checkout", { branch_name: "both" });
  expect(textOf(moved)).toMatch(/^Now at [\da-f]{10} .*:\n<untrusted-\w+>\nHEAD -> both\n/);
  // Git's own names mean what they always mean.
  for (const name of ["HEAD", "stash"]) plain.git("update-ref", `refs/heads/${name}`, first);
  plain.write("a.txt", "c\n");
  await resultOf(wire, "git_stash", { action: "push" });
  await resultOf(wire, "git_stash", { action: "pop" });
  expect(plain.git("status", "--porcelain")).toBe(" M a.txt");
});

it("an ambiguous id says nothing of what is kept for git_undo", async () => {
  const { plain, fails } = await openEmpty();
  const commits = commitMany(plain, ["tess@example.org", "suite@localhost"]);
  const kept = commits.filter(([, email]) => email === "suite@localhost").map(([id]) => id);
  const others = commits.filter(([, email]) => email !== "suite@localhost").map(([id]) => id);
  const other = others.find((id) => kept.some((one) => one.startsWith(id.slice(0, 4)))) ?? "";
  const { text } = await fails("git_show", { revision: other.slice(0, 4) });
  const [, candidates = ""] = /Commits: ([\da-f, ]+)/.exec(text) ?? [];
  expect(candidates).toContain(other.slice(0, 5));
  for (const short of candidates.split(", ")) expect(kept.some((id) => id.startsWith(short))).toBe(false);
  const hidden = kept.map((id) => id.slice(0, 4)).find((four, at, all) => all.indexOf(four) < at) ?? "";
  expect(others.some((id) => id.startsWith(hidden))).toBe(false);
  expect((await fails("git_show", { revision: hidden })).text).not.toContain("Commits:");
});
