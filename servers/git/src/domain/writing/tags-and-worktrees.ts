import { existsSync, lstatSync } from "node:fs";
import { basename, resolve } from "node:path";

import { Fault, quotePath } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Asked, Told } from "../fields.ts";
import { RepositoryCall } from "../git/repository-call.ts";
import { findCommit } from "../reading/history.ts";
import { listWorktrees } from "../reading/refs.ts";
import { readStatus } from "../reading/status.ts";
import { openAt } from "../repository/repository.ts";
import { requireBranchName, requireRoom, requireUnused } from "./branches.ts";
import type { RepositoryChange, ChangeTool } from "./changes.ts";
import { requireNoNul } from "./commit.ts";
import { findPlace } from "./new-repository.ts";
import { listHidden } from "./snapshot.ts";

export const TAG_CHANGE = {
  name: v.string(),
  action: v.optional(v.picklist(["create", "delete"], 'must be "create" or "delete". git_tags lists tags.')),
  target: v.optional(v.string()),
  // Makes it an annotated one.
  message: v.optional(v.string()),
};

/** Absent where a tag is deleted that leads to no commit. */
export const TAGGED = { commit: v.exactOptional(v.string()) };

export async function tag(
  call: RepositoryCall,
  change: RepositoryChange,
  { action = "create", name, target = "HEAD", message, dry_run: dryRun }: Asked<typeof TAG_CHANGE>,
): Promise<Told<typeof TAGGED>> {
  const ref = `refs/tags/${name}`;
  if (!(await call.asks(["check-ref-format", ref])) || name.startsWith("-") || name.includes("\0"))
    throw new Fault("invalid_input", `${JSON.stringify(name)} is not a name for a tag`);
  requireNoNul(message);
  const isNew = action === "create";
  const isCommit = isNew || (await call.text(["cat-file", "-t", `${ref}^{}`])).trim() === "commit";
  const commit = isCommit ? (await findCommit(call, isNew ? target : ref)).commit : "";
  if (isNew) await requireRoom(call, ref);
  const done = { changed: [ref], ...(isCommit && { commit }) };
  if (dryRun) return done;
  await change.begin({ tool: "git_tag", summary: `${action} tag ${name}`, refs: [ref] });
  if (!isNew) await change.run(["tag", "--delete", name]);
  else if (message === undefined) await change.run(["tag", name, commit]);
  else {
    const flags = ["--annotate", "--cleanup=whitespace", "--file=-"];
    await change.run(["tag", ...flags, name, commit], { input: message, signs: true });
  }
  return done;
}

export const WORKTREE_CHANGE = {
  action: v.picklist(["add", "remove"], 'must be "add" or "remove". git_worktrees lists work trees.'),
  path: v.string(),
  branch: v.optional(v.string()),
  new_branch: v.optional(v.string()),
  force: v.optional(v.pipe(v.boolean(), v.description("Remove it with its uncommitted changes"))),
};

export const WORKTREE_CHANGED = { path: v.string() };

type Worktree = Told<typeof WORKTREE_CHANGED>;

/** A second work tree of the same repository, inside the directories of this server like everything else. */
export const worktree: ChangeTool<typeof WORKTREE_CHANGE, Worktree> = (call, change, asked) =>
  asked.action === "add" ? addWorktree(call, change, asked) : removeWorktree(call, change, asked);

const addWorktree: ChangeTool<typeof WORKTREE_CHANGE, Worktree> = async (call, change, asked) => {
  const { branch, new_branch: newBranch } = asked;
  const path = findPlace(call.guard, resolve(call.repository.root, asked.path));
  if (existsSync(path)) throw new Fault("conflict", `${quotePath(path)} exists already`);
  const made = newBranch === undefined ? await nameBranch(call, path, branch) : newBranch;
  if (made === undefined) await requireUnused(call, branch ?? basename(path));
  else await requireRoom(call, `refs/heads/${await requireBranchName(call, made)}`);
  if (branch !== undefined) await findCommit(call, branch);
  const changed = [path, ...(made === undefined ? [] : [`refs/heads/${made}`])];
  if (asked.dry_run) return { path, changed };
  const irreversible = "git_worktree with remove removes it again.";
  await change.begin({ tool: "git_worktree", summary: `add work tree ${path}`, irreversible });
  const start = made === undefined ? [] : ["--no-track", "-b", made];
  await change.run(["worktree", "add", "--quiet", ...start, path, ...(branch === undefined ? [] : [branch])]);
  return { path, changed };
};

/** As git names a branch that it makes by itself: like the directory, unless there is one of that name, which it takes. */
async function nameBranch(
  call: RepositoryCall,
  path: string,
  branch: string | undefined,
): Promise<string | undefined> {
  const name = basename(path);
  const isThere = () => call.asks(["show-ref", "--verify", "--quiet", `refs/heads/${name}`]);
  return branch !== undefined || (await isThere()) ? undefined : name;
}

const removeWorktree: ChangeTool<typeof WORKTREE_CHANGE, Worktree> = async (call, change, asked) => {
  const { guard, repository } = call;
  const path = guard.locate(resolve(repository.root, asked.path), { intent: "write" });
  const isKnown = (await listWorktrees(call)).some((other) => other.path === path);
  if (!isKnown || path === repository.root || !lstatSync(path).isDirectory()) {
    throw new Fault("not_found", `${quotePath(path)} is not another work tree of this repository`, {
      hint: "git_worktrees shows them.",
    });
  }
  const other = openAt(guard, path, { trusted: call.git.isTrusting });
  if (other && !asked.force) await requireClean(new RepositoryCall(call.git, guard, other, call.signal));
  if (asked.dry_run) return { path, changed: [path] };
  const irreversible = "Whole work trees have no backup.";
  await change.begin({ tool: "git_worktree", summary: `remove work tree ${path}`, irreversible });
  // Git asks for its status first, by settings that are its own.
  change.override(other?.overrides() ?? []);
  await change.run(["worktree", "remove", ...(asked.force ? ["--force"] : []), path]);
  return { path, changed: [path] };
};

/** Git looks, too, but not at what settings and marks in the index hide from it. */
async function requireClean(call: RepositoryCall): Promise<void> {
  const { staged, unstaged, conflicts, untracked } = await readStatus(call, { untracked: "normal" });
  const changed = [...staged, ...unstaged, ...conflicts].map(({ path }) => path);
  const [first] = [...changed, ...untracked, ...(await listHidden(call, { withSkipped: true }))];
  if (first === undefined) return;
  const { root } = call.repository;
  throw new Fault(
    "conflict",
    `${quotePath(root)} has uncommitted changes, such as ${JSON.stringify(first)}`,
    { hint: "Commit them there, or remove it with force." },
  );
}
