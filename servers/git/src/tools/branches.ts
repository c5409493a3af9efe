import { countOf, quoteShown } from "@suite/server-kit/domain";

import { defineTool } from "../define.ts";
import {
  BRANCHED,
  CHECKED_OUT,
  CHECKOUT,
  checkout,
  createBranch,
  deleteBranch,
  NEW_BRANCH,
  OLD_BRANCH,
} from "../domain/writing/branches.ts";
import { STASH, stash, STASHED } from "../domain/writing/stash.ts";
import {
  TAG_CHANGE,
  tag,
  TAGGED,
  WORKTREE_CHANGE,
  WORKTREE_CHANGED,
  worktree,
} from "../domain/writing/tags-and-worktrees.ts";
import { changing } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { CONFLICTS, countChanged, renderChange, takes, tells } from "./change-result.ts";

export const gitCreateBranch = defineTool({
  name: "git_create_branch",
  title: "Create a branch",
  description: "Creates a branch at base_branch (default HEAD), and checks it out if requested.",
  effects: "write",
  affects: "the repository and its work tree",
  group: "core",
  version: 4,
  aliases: { branch_name: ["name", "branch"], base_branch: ["base", "start_point"] },
  input: takes(NEW_BRANCH),
  output: tells(BRANCHED),
  untrusted: ["changed"],
  run: changing(createBranch),
  text: (result, { dry_run: isDry }) =>
    renderChange(`A branch ${isDry ? "would be made" : "was made"} at ${result.commit}`, result),
});

export const gitCheckout = defineTool({
  name: "git_checkout",
  title: "Check out",
  description:
    "Switches to a branch, even one that only a remote has, or to a commit with HEAD detached. Refused if uncommitted changes are in the way.",
  effects: "write",
  affects: "the repository and its work tree",
  group: "core",
  version: 4,
  alsoKnownAs: ["checkout", "git_switch", "switch"],
  aliases: { branch_name: ["branch", "target", "revision", "name"] },
  input: takes(CHECKOUT),
  output: tells(CHECKED_OUT),
  untrusted: ["branch", "changed"],
  run: changing(checkout),
  text: (result, { branch_name: asked, dry_run: isDry }) => {
    if (result.changed.length === 0) return [`Already on ${quoteShown(asked)}`];
    const where = `${result.commit}${result.detached ? ", HEAD detached" : ""}`;
    const head = result.branch === undefined ? "HEAD" : `HEAD -> ${result.branch}`;
    const at = result.changed.indexOf("HEAD");
    const changed = result.changed.map((name, index) => (index === at ? head : name));
    return renderChange(`${isDry ? "Would be at" : "Now at"} ${where}`, { ...result, changed });
  },
});

export const gitDeleteBranch = defineTool({
  name: "git_delete_branch",
  title: "Delete a branch",
  description: "Deletes a local branch. One with commits that no other branch has needs force.",
  effects: "destructive",
  affects: "the repository",
  group: "branches",
  version: 4,
  aliases: { branch_name: ["name", "branch"] },
  input: takes(OLD_BRANCH),
  output: tells(BRANCHED),
  untrusted: ["changed"],
  confirm: ({ branch_name: name }) => `Delete the branch ${name}?`,
  run: changing(deleteBranch),
  text: (result, { dry_run: isDry }) =>
    renderChange(`The branch ${isDry ? "would be" : "was"} deleted; it was at ${result.commit}`, result),
});

/** A verb for each action, and its past tense. */
const STASH_VERBS = {
  push: ["stash", "Stashed"],
  pop: ["pop", "Popped"],
  apply: ["apply", "Applied"],
  drop: ["drop", "Dropped"],
} as const;

export const gitStash = defineTool({
  name: "git_stash",
  title: "Stash",
  description:
    "Stashes uncommitted changes (push), or restores them (pop, apply). stash is a number from git_stash_list, default 0.",
  effects: "destructive",
  affects: "the repository and its work tree",
  group: "branches",
  version: 5,
  aliases: { files: ALIASES.paths, stash: ["index"], include_untracked: ["untracked"] },
  input: takes(STASH),
  output: tells({ ...STASHED, ...CONFLICTS }),
  untrusted: ["changed", "conflicts"],
  confirm: ({ action }) => `git stash ${action}?`,
  run: changing(stash),
  text: (result, { action, dry_run: isDry }) => {
    const { conflicts, conflicts_total: total = conflicts?.length ?? 0 } = result;
    const stopped = total === 0 ? "" : `, conflicts in ${countOf(total, "file")}`;
    const [does, did] = STASH_VERBS[action];
    const what = action === "drop" ? "the stash" : `${countChanged(result)}${stopped}`;
    return renderChange(`${isDry ? `Would ${does}` : did} ${what}`, result);
  },
  note: ({ commit, conflicts, unstaged, undo }, { action, dry_run: isDry }) => [
    unstaged && "What was staged is not staged again: git_add stages it.",
    conflicts &&
      !isDry &&
      "Resolve them with git_resolve_conflict. The stash is still there: drop it when you are done.",
    (action === "drop" || action === "pop") &&
      !conflicts &&
      !isDry &&
      undo === undefined &&
      `The stash is off the list. To bring it back: git_stash action apply stash "${commit}", for as long as git keeps the commit.`,
  ],
});

export const gitTag = defineTool({
  name: "git_tag",
  title: "Tag",
  description: "Creates a tag at target (default HEAD), annotated if message is given; or deletes one.",
  effects: "destructive",
  affects: "the repository",
  group: "history",
  version: 4,
  aliases: { name: ["tag_name", "tag"], target: ALIASES.revision },
  input: takes(TAG_CHANGE),
  output: tells(TAGGED),
  untrusted: ["changed"],
  confirm: ({ name, action = "create" }) => `${action} the tag ${name}?`,
  run: changing(tag),
  text: (result, { action = "create", dry_run: isDry }) =>
    renderChange(
      `A tag ${isDry ? "would be" : "was"} ${action}d${result.commit === undefined ? "" : ` at ${result.commit}`}`,
      result,
    ),
});

export const gitWorktree = defineTool({
  name: "git_worktree",
  title: "Work trees",
  description:
    "Adds a second work tree at path, inside the allowed directories, for branch or new_branch; or removes one. Cannot be undone.",
  effects: "destructive",
  affects: "the repository and a directory beside it",
  group: "remotes",
  version: 3,
  input: takes(WORKTREE_CHANGE),
  output: tells(WORKTREE_CHANGED),
  untrusted: ["path", "changed"],
  confirm: ({ action, path }) => `${action} the work tree ${path}?`,
  run: changing(worktree),
  text: (result, { action, dry_run: isDry }) => {
    const did = action === "add" ? "Added" : "Removed";
    return renderChange(`${isDry ? `Would ${action}` : did} the work tree`, result);
  },
});
