import { existsSync, lstatSync } from "node:fs";

import { Fault, isWithin, quotePath } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { findCommit } from "../reading/history.ts";
import { listWorktrees } from "../reading/refs.ts";
import { requireBranchName } from "./branches.ts";
import type { Change } from "./changes.ts";

export interface TagRequest {
  readonly action: "create" | "delete";
  readonly name: string;
  readonly target?: string | undefined;
  /** Makes it an annotated one. */
  readonly message?: string | undefined;
  readonly dryRun: boolean;
}

export interface Tagged {
  readonly changed: readonly string[];
  readonly commit: string;
}

export async function tag(
  call: RepositoryCall,
  change: Change,
  { action, name, target, message, dryRun }: TagRequest,
): Promise<Tagged> {
  const ref = `refs/tags/${name}`;
  const checked = await call.run(["check-ref-format", ref], { accept: [1] });
  if (checked.code !== 0 || name.startsWith("-") || name.includes("\0"))
    throw new Fault("invalid_input", `${JSON.stringify(name)} is not a name for a tag`);
  const revision = action === "create" ? (target ?? "HEAD") : ref;
  const { commit } = await findCommit(call, revision);
  const args = ["show-ref", "--verify", "--quiet", ref];
  const isThere = (await call.run(args, { accept: [1] })).code === 0;
  if (isThere && action === "create") {
    throw new Fault("conflict", `The tag ${JSON.stringify(name)} exists already`, {
      hint: "Delete it first, or choose another name.",
    });
  }
  if (dryRun) return { changed: [ref], commit };
  await change.begin({ tool: "git_tag", summary: `${action} tag ${name}`, refs: [ref] });
  if (action === "delete") await change.run(["tag", "--delete", name]);
  else if (message === undefined) await change.run(["tag", name, commit]);
  else {
    const flags = ["--annotate", "--cleanup=whitespace", "--file=-"];
    await change.run(["tag", ...flags, name, commit], { input: message, signs: true });
  }
  return { changed: [ref], commit };
}

export interface WorktreeRequest {
  readonly action: "add" | "remove";
  readonly path: string;
  readonly branch?: string | undefined;
  readonly newBranch?: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface Worktree {
  readonly path: string;
  readonly changed: readonly string[];
}

/** A second work tree of the same repository, inside the directories of this server like everything else. */
export function worktree(call: RepositoryCall, change: Change, request: WorktreeRequest): Promise<Worktree> {
  return request.action === "add"
    ? addWorktree(call, change, request)
    : removeWorktree(call, change, request);
}

async function addWorktree(
  call: RepositoryCall,
  change: Change,
  { path: given, branch, newBranch, dryRun }: WorktreeRequest,
): Promise<Worktree> {
  const { guard, repository } = call;
  const path = guard.locate(given, { intent: "write" });
  if (isWithin(path, repository.commonDir))
    throw new Fault("invalid_input", "That is inside the git directory");
  if (existsSync(path)) throw new Fault("conflict", `${quotePath(path)} exists already`);
  const made = newBranch === undefined ? undefined : await requireBranchName(call, newBranch);
  if (branch !== undefined) await findCommit(call, branch);
  const changed = [path, ...(made === undefined ? [] : [`refs/heads/${made}`])];
  if (dryRun) return { path, changed };
  await change.begin({ tool: "git_worktree", summary: `add work tree ${path}`, keepsNoBackup: true });
  const start = made === undefined ? [] : ["--no-track", "-b", made];
  await change.run(["worktree", "add", "--quiet", ...start, path, ...(branch === undefined ? [] : [branch])]);
  return { path, changed };
}

async function removeWorktree(
  call: RepositoryCall,
  change: Change,
  { path: given, force, dryRun }: WorktreeRequest,
): Promise<Worktree> {
  const { guard, repository } = call;
  const path = guard.locate(given, { intent: "write" });
  const isKnown = (await listWorktrees(call)).some((other) => other.path === path);
  if (!isKnown || path === repository.root || !lstatSync(path).isDirectory()) {
    throw new Fault("not_found", `${quotePath(path)} is not another work tree of this repository`, {
      hint: "git_worktrees shows them.",
    });
  }
  if (dryRun) return { path, changed: [path] };
  await change.begin({ tool: "git_worktree", summary: `remove work tree ${path}`, keepsNoBackup: true });
  await change.run(["worktree", "remove", ...(force ? ["--force"] : []), path]);
  return { path, changed: [path] };
}
