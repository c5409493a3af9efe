import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { BenchTask, Step, TaskResult } from "./task.ts";

const LINES = 60;
const lines = (changes: { readonly [line: number]: string } = {}): string =>
  Array.from({ length: LINES }, (_, at) => `${changes[at + 1] ?? `line ${at + 1}`}\n`).join("");

/** Five hunks, two of which belong together. */
const EDITS = { 5: "mended", 17: "a note to myself", 29: "mended, too", 41: "debug", 53: "debug" };

/** A year of history with branches that are merged, forgotten and in conflict, and changes that are not committed. */
export function prepareGit(folder: string): readonly string[] {
  const root = join(folder, "repository");
  mkdirSync(root);
  let days = 365;
  const git = (...args: string[]): void => {
    const date = new Date(Date.now() - days * 86_400_000).toISOString();
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync("git", args, { cwd: root, env, stdio: "ignore" });
  };
  git("init", "-q");
  git("symbolic-ref", "HEAD", "refs/heads/main");
  git("config", "user.name", "Tess Ter");
  git("config", "user.email", "tess@example.org");
  const commit = (message: string, files: { readonly [path: string]: string }): void => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
    git("add", "-A");
    days = Math.max(0, days - 10);
    git("commit", "-q", "-m", message);
  };
  commit("Begin", { "work.txt": lines(), "shop.ts": "export function total() {}\n", "limit.txt": "10\n" });
  git("tag", "v1");
  commit("Round to cents\n\nPrices with more digits were refused by the bank.", {
    "shop.ts":
      "export function total() {}\nexport function round(n: number) {\n  return Math.round(n * 100) / 100;\n}\nexport function legacyTax() {}\n",
  });
  for (let step = 1; step <= 8; step += 1)
    commit(`Tune the limit, step ${step}`, { "limit.txt": `${step < 6 ? 10 + step : 90 + step}\n` });
  commit("Drop the old tax", {
    "shop.ts":
      "export function total() {}\nexport function round(n: number) {\n  return Math.round(n * 100) / 100;\n}\n",
  });
  for (const name of ["done-1", "done-2"]) {
    git("switch", "-q", "-c", name);
    commit(`Finish ${name}`, { [`${name}.txt`]: "done\n" });
    git("switch", "-q", "main");
    git("merge", "-q", "--no-ff", "-m", `Merge ${name}`, name);
  }
  git("switch", "-q", "-c", "lost");
  commit("An idea", { "idea.txt": "idea\n" });
  git("switch", "-q", "main");
  git("branch", "-q", "-D", "lost");
  git("switch", "-q", "-c", "feature", "main~1");
  commit("Fix the title", { "title.txt": "Title\n" });
  commit("Greet in French", { "hello.txt": "Bonjour\n" });
  git("switch", "-q", "main");
  days = 0;
  commit("Greet", { "hello.txt": "Hello\n" });
  writeFileSync(join(root, "work.txt"), lines(EDITS));
  return ["--all-tools", "--repository", root];
}

const listOf = (result: TaskResult, field: string): readonly TaskResult[] =>
  (result[field] ?? []) as TaskResult[];
const has =
  (field: string, count: number) =>
  (result: TaskResult): boolean =>
    listOf(result, field).length === count;
const is =
  (field: string, value: unknown) =>
  (result: TaskResult): boolean =>
    result[field] === value;

/** What the file said in the commit to judge, and what is asked next. */
const judge = (limit: string): Step => ({
  tool: "git_read_file",
  args: (before) => ({ path: "limit.txt", revision: (before["next"] as TaskResult)["commit"] }),
  gives: is("text", limit),
});

const subject = (text: string): string => `main^{/${text}}`;
const toBisect = (known: object): object => ({ ...known, paths: ["limit.txt"] });

/** Each as few calls as a careful model needs. */
export const GIT_TASKS: readonly BenchTask[] = [
  {
    name: "G1 what changed since yesterday",
    tokens: 230,
    steps: [
      { tool: "git_status", args: {}, gives: has("unstaged", 1) },
      { tool: "git_log", args: { since: "yesterday" } },
    ],
  },
  {
    name: "G2 who wrote this line and why",
    tokens: 290,
    steps: [
      { tool: "git_blame", args: { path: "shop.ts", start_line: 3, end_line: 3 }, gives: has("groups", 1) },
      {
        tool: "git_show",
        args: (before) => ({ revision: listOf(before, "groups")[0]?.["commit"], stat_only: true }),
        gives: ({ commit }) => String((commit as TaskResult)["body"]).includes("the bank"),
      },
    ],
  },
  {
    name: "G3 commit two of five hunks",
    tokens: 580,
    steps: [
      { tool: "git_list_hunks", args: {}, gives: has("hunks", 5) },
      {
        tool: "git_stage_hunks",
        args: (before) => ({ ids: [0, 2].map((at) => listOf(before, "hunks")[at]?.["id"]) }),
        gives: has("hunks", 2),
      },
      { tool: "git_commit", args: { message: "Mend two lines" }, gives: has("changed", 1) },
    ],
  },
  {
    name: "G4 resolve a conflict",
    tokens: 480,
    steps: [
      { tool: "git_stash", args: { action: "push" } },
      { tool: "git_merge", args: { target: "feature" }, gives: is("outcome", "stopped") },
      { tool: "git_conflicts", args: {}, gives: has("files", 1) },
      {
        tool: "git_resolve_conflict",
        args: { path: "hello.txt", regions: [{ region: 1, use: "both" }] },
        gives: is("remaining", 0),
      },
      { tool: "git_continue_or_abort", args: { action: "continue" }, gives: is("outcome", "done") },
      { tool: "git_stash", args: { action: "pop" } },
    ],
  },
  {
    name: "G5 undo a bad commit",
    tokens: 170,
    steps: [
      { tool: "git_commit", args: { message: "Everything", files: ["."] } },
      { tool: "git_undo", args: { id: "last" }, gives: ({ undone }) => undone !== undefined },
    ],
  },
  {
    name: "G6 find the commit that removed a function",
    tokens: 480,
    steps: [
      { tool: "git_log", args: { search: "legacyTax", max_count: 2 }, gives: has("commits", 2) },
      {
        tool: "git_show",
        args: (before) => ({ revision: listOf(before, "commits")[0]?.["commit"] }),
        gives: ({ diff }) => String(diff).includes("-export function legacyTax"),
      },
    ],
  },
  {
    name: "G7 compare branches",
    tokens: 380,
    steps: [
      {
        tool: "git_diff",
        args: { target: "v1...feature", stat_only: true },
        gives: ({ files }) => files !== undefined,
      },
      { tool: "git_log", args: { range: "done-2..feature" }, gives: has("commits", 2) },
    ],
  },
  {
    name: "G8 clean up stale branches",
    tokens: 440,
    steps: [
      { tool: "git_branch", args: { merged: "main" }, gives: has("branches", 4) },
      { tool: "git_delete_branch", args: { branch_name: "done-1" } },
      { tool: "git_delete_branch", args: { branch_name: "done-2" } },
    ],
  },
  {
    name: "G9 cherry-pick",
    tokens: 300,
    steps: [
      { tool: "git_stash", args: { action: "push" } },
      { tool: "git_create_branch", args: { branch_name: "release", base_branch: "v1", checkout: true } },
      { tool: "git_cherry_pick", args: { revisions: ["feature~1"] }, gives: is("outcome", "done") },
      { tool: "git_checkout", args: { branch_name: "main" } },
    ],
  },
  {
    name: "G10 which commit broke it, by bisect",
    tokens: 1200,
    steps: [
      { tool: "git_bisect", args: toBisect({ bad: "main", good: ["v1"] }), gives: is("left", 9) },
      judge("14"),
      { tool: "git_bisect", args: toBisect({ bad: "main", good: [subject("step 4")] }) },
      judge("96"),
      { tool: "git_bisect", args: toBisect({ bad: subject("step 6"), good: [subject("step 4")] }) },
      judge("15"),
      {
        tool: "git_bisect",
        args: toBisect({ bad: subject("step 6"), good: [subject("step 5")] }),
        gives: ({ first_bad: found }) => String((found as TaskResult)["subject"]).endsWith("step 6"),
      },
    ],
  },
  {
    name: "G11 release notes",
    tokens: 2200,
    steps: [
      { tool: "git_tags", args: {}, gives: has("tags", 1) },
      { tool: "git_log", args: { range: "v1..main", full: true, max_count: 100 } },
    ],
  },
  {
    name: "G12 recover a deleted branch",
    tokens: 1550,
    steps: [
      { tool: "git_reflog", args: {}, gives: ({ entries }) => JSON.stringify(entries).includes("An idea") },
      {
        tool: "git_create_branch",
        args: (before) => ({
          branch_name: "lost",
          base_branch: listOf(before, "entries").find(({ message }) => String(message).includes("An idea"))?.[
            "commit"
          ],
        }),
        gives: has("changed", 1),
      },
    ],
  },
];
