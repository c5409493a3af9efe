import { realpathSync } from "node:fs";
import { basename } from "node:path";

import type { SampleCall } from "@suite/check";

import { createHistory } from "../../git/history.ts";
import { inRoot } from "../../support/root.ts";
import { GIT } from "../../support/servers.ts";
import { type ContractServer, type ContractStage, WITH_FORMS } from "../contract-server.ts";

/** One after the other on the same repository. */
const CALLS: readonly SampleCall[] = [
  { name: "git_list_repositories", args: {} },
  { name: "git_status", args: {} },
  { name: "git_log", args: {} },
  { name: "git_show", args: { revision: "HEAD" } },
  { name: "git_diff", args: { target: "v1" } },
  { name: "git_diff_unstaged", args: {} },
  { name: "git_list_hunks", args: {} },
  { name: "git_branch", args: {} },
  { name: "git_read_file", args: { path: "src/one.ts" } },
  { name: "git_list_files", args: {} },
  { name: "git_grep", args: { pattern: "export" } },
  { name: "git_blame", args: { path: "a.txt" } },
  { name: "git_bisect", args: { bad: "HEAD", good: ["v1"] } },
  { name: "git_tags", args: {} },
  { name: "git_reflog", args: {} },
  { name: "git_remotes", args: {} },
  { name: "git_worktrees", args: {} },
  { name: "git_stash", args: { action: "push" } },
  { name: "git_stash_list", args: {} },
  { name: "git_stash", args: { action: "pop" } },
  { name: "git_add", args: { files: ["a.txt"], dry_run: true } },
  { name: "git_add", args: { files: ["a.txt"] } },
  { name: "git_diff_staged", args: {} },
  { name: "git_commit", args: { message: "staged", dry_run: true } },
  { name: "git_commit", args: { message: "staged" } },
  { name: "git_undo", args: { id: "last" } },
  { name: "git_reset", args: {} },
  { name: "git_restore", args: { files: ["a.txt"] } },
  { name: "git_create_branch", args: { branch_name: "new" } },
  { name: "git_checkout", args: { branch_name: "new" } },
  { name: "git_cherry_pick", args: { revisions: ["feature~1"] } },
  { name: "git_revert", args: { revisions: ["HEAD"] } },
  { name: "git_merge", args: { target: "feature" } },
  { name: "git_conflicts", args: {} },
  { name: "git_resolve_conflict", args: { path: "a.txt", use: "ours" } },
  { name: "git_continue_or_abort", args: { action: "abort" } },
  { name: "git_checkout", args: { branch_name: "main" } },
  { name: "git_rebase", args: { target: "v2" } },
  { name: "git_delete_branch", args: { branch_name: "new", force: true } },
  { name: "git_tag", args: { name: "v3" } },
  { name: "git_init", args: { path: "inner" } },
];

function prepare(folder: string): ContractStage {
  const root = realpathSync(folder);
  const plain = createHistory(root);
  plain.git("config", "user.name", "Tess Ter");
  plain.git("config", "user.email", "tess@example.org");
  plain.write("a.txt", "changed\n");
  const commit = `commit/${plain.git("rev-parse", "HEAD").trim()}`;
  const uri = (rest: string): string => `git://${basename(root)}/${rest}`;
  return {
    // With everything that can be allowed, so that all of its tools are there.
    args: [root, "--all-tools", "--allow-network"],
    calls: CALLS,
    // They need hunks by their ids, a second folder, or somebody to talk to.
    elsewhere: [
      "git_stage_hunks",
      "git_unstage_hunks",
      "git_worktree",
      "git_clone",
      "git_fetch",
      "git_pull",
      "git_push",
    ],
    uris: ["HEAD", commit, "status", "branches", "file/HEAD/src/one.ts", "diff/v1..main"].map(uri),
    prompts: {
      review_branch: { branch: "feature" },
      explain_commit: { revision: "v1" },
      release_notes: { from: "v1", to: "v2" },
    },
    change: { uri: uri("status"), by: () => plain.write(`${Math.random()}.txt`, "x\n") },
    logged: { name: "git_create_branch", args: { branch_name: "logged" } },
    asks: { "elicitation/create": WITH_FORMS },
  };
}

export const git: ContractServer = {
  name: "git",
  command: GIT,
  prepare,
  snapshot: inRoot("servers/git/contract.json"),
  // All groups; what is offered by default is held to less in e2e/git.
  tokens: 7000,
};
