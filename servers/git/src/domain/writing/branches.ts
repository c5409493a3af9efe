import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Told } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { parseRevision } from "../names.ts";
import { findCommit } from "../reading/history.ts";
import { readStatus } from "../reading/status.ts";
import type { ChangeTool } from "./changes.ts";
import { requireSwitchable } from "./in-the-way.ts";
import { readHead } from "./snapshot.ts";

/** Requires a plain branch name: neither an option nor a revision expression. */
export async function requireBranchName(call: RepositoryCall, name: string): Promise<string> {
  const refused = (): Fault =>
    new Fault("invalid_input", `${JSON.stringify(name)} is not a name for a branch`, {
      hint: "Use letters, digits, dashes and slashes, as in fix/empty-input.",
    });
  if (name === "" || name.startsWith("-") || name.includes("\0") || name.startsWith("refs/")) throw refused();
  const { code, stdout } = await call.run(["check-ref-format", "--branch", name], { accept: [1, 128] });
  // Git expands "@{-1}" to the name of another branch.
  if (code !== 0 || stdout.toString().trim() !== name) throw refused();
  return name;
}

export const NEW_BRANCH = {
  branch_name: v.string(),
  base_branch: v.optional(v.string()),
  checkout: v.optional(v.boolean()),
};

export const BRANCHED = { commit: v.string() };

export const createBranch: ChangeTool<typeof NEW_BRANCH, Told<typeof BRANCHED>> = async (
  call,
  change,
  asked,
) => {
  const { branch_name: name, base_branch: base, checkout: isCheckedOut = false, dry_run: dryRun } = asked;
  const branch = await requireBranchName(call, name);
  const ref = `refs/heads/${branch}`;
  const { commit } = await findCommit(call, base ?? "HEAD");
  await requireRoom(call, ref);
  const changed = [ref, ...(isCheckedOut ? ["HEAD", ...(await requireSwitchable(call, commit))] : [])];
  if (dryRun) return { changed, commit };
  await change.begin({
    tool: "git_create_branch",
    summary: `create branch ${branch}`,
    refs: [ref],
    worktree: isCheckedOut,
  });
  if (isCheckedOut)
    await change.run(["switch", "--quiet", "--no-track", "--no-guess", "--create", branch, commit]);
  else await change.run(["branch", "--no-track", branch, commit]);
  return { changed, commit };
};

/** Refuses a new branch or tag that exists, or that git cannot keep beside another one, such as `a` beside `a/b`. */
export async function requireRoom(call: RepositoryCall, ref: string): Promise<void> {
  const parts = ref.split("/");
  const above = parts.map((_, at) => parts.slice(0, at + 1).join("/")).slice(2);
  const names = await call.lines(["for-each-ref", "--format=%(refname)", ...above]);
  const taken = names.find((name) => above.includes(name) || name.startsWith(`${ref}/`));
  if (taken === undefined) return;
  const name = JSON.stringify(taken.split("/").slice(2).join("/"));
  const [kind, first] = ref.startsWith("refs/tags/")
    ? ["tag", "Delete it first"]
    : ["branch", "Check it out with git_checkout"];
  throw new Fault("conflict", `The ${kind} ${name} exists already`, {
    hint: `${first}, or choose another name: git cannot have both "a" and "a/b".`,
  });
}

/** Git checks out a branch in one work tree only, and does not delete one that is checked out. */
export async function requireUnused(call: RepositoryCall, branch: string): Promise<void> {
  const facts = await call.lines(["worktree", "list", "--porcelain"]);
  if (!facts.includes(`branch refs/heads/${branch}`)) return;
  throw new Fault("conflict", `The branch ${JSON.stringify(branch)} is checked out in another work tree`, {
    hint: "git_worktrees shows where.",
  });
}

/** `force`: delete it even if no other branch has its commits. */
export const OLD_BRANCH = { branch_name: v.string(), force: v.optional(v.boolean()) };

export const deleteBranch: ChangeTool<typeof OLD_BRANCH, Told<typeof BRANCHED>> = async (
  call,
  change,
  asked,
) => {
  const branch = await requireBranchName(call, asked.branch_name);
  const ref = `refs/heads/${branch}`;
  const { commit } = await findCommit(call, ref);
  if ((await readHead(call)) === ref) {
    throw new Fault("conflict", `The branch ${JSON.stringify(branch)} is checked out`, {
      hint: "Check out another one first.",
    });
  }
  await requireUnused(call, branch);
  if (!asked.force) await requireMerged(call, branch, commit);
  if (asked.dry_run) return { changed: [ref], commit };
  await change.begin({ tool: "git_delete_branch", summary: `delete branch ${branch}`, refs: [ref] });
  await change.run(["branch", "--quiet", "-D", branch]);
  return { changed: [ref], commit };
};

/** Requires that another branch, local or remote, contains the commit. */
async function requireMerged(call: RepositoryCall, branch: string, commit: string): Promise<void> {
  const args = ["for-each-ref", `--contains=${commit}`, "--format=%(refname)", "refs/heads", "refs/remotes"];
  const names = await call.lines(args);
  if (names.some((name) => name !== `refs/heads/${branch}`)) return;
  throw new Fault("conflict", `The branch ${JSON.stringify(branch)} has commits that no other branch has`, {
    hint: "Merge it first, or delete it with force: true. git_undo brings it back.",
  });
}

export const CHECKOUT = { branch_name: v.string(), create: v.optional(v.boolean()) };
export const CHECKED_OUT = { branch: v.exactOptional(v.string()), commit: v.string(), detached: v.boolean() };

/** A local branch, a remote one of which a local one is made, or a commit with HEAD detached. */
export const checkout: ChangeTool<typeof CHECKOUT, Told<typeof CHECKED_OUT>> = async (
  call,
  change,
  asked,
) => {
  const { branch_name: target, create, dry_run: dryRun } = asked;
  if (create) {
    const wanted = { branch_name: target, checkout: true, dry_run: dryRun };
    return { ...(await createBranch(call, change, wanted)), branch: target, detached: false };
  }
  const found = await findTarget(call, parseRevision(target));
  const { commit } = await findCommit(call, found.start);
  const { branch: current } = await readStatus(call);
  // An entry that undoes nothing would hide the one before it from `last`.
  if (found.branch !== undefined && !found.isNew && found.branch === current)
    return { changed: [], commit, branch: found.branch, detached: false };
  const refs = found.isNew ? [`refs/heads/${found.branch}`] : [];
  for (const ref of refs) await requireRoom(call, ref);
  const files = await requireSwitchable(call, commit);
  if (found.branch !== undefined && found.branch !== current) await requireUnused(call, found.branch);
  const result = {
    commit,
    detached: found.branch === undefined,
    ...(found.branch !== undefined && { branch: found.branch }),
  };
  const changed = ["HEAD", ...refs, ...files];
  if (dryRun) return { changed, ...result };
  await change.begin({ tool: "git_checkout", summary: `check out ${target}`, refs, worktree: true });
  await change.run(toSwitch(found));
  return { changed, ...result };
};

interface Target {
  readonly branch?: string;
  /** The revision to check out, or to create the branch from. */
  readonly start: string;
  readonly isNew: boolean;
}

async function findTarget(call: RepositoryCall, target: string): Promise<Target> {
  const args = ["for-each-ref", "--format=%(refname)", `refs/heads/${target}`, `refs/remotes/*/${target}`];
  const names = await call.lines(args);
  if (names.includes(`refs/heads/${target}`))
    return { branch: target, start: `refs/heads/${target}`, isNew: false };
  const isKnown = (await call.idOf(`${target}^{commit}`)) !== "";
  // for-each-ref also lists branches below the name, such as local ones.
  const [only, ...others] = names.filter((name) => name.startsWith("refs/remotes/"));
  // refs/remotes/*/HEAD is not a branch.
  const isGuessed = !isKnown && target !== "HEAD" && others.length === 0;
  return only !== undefined && isGuessed
    ? { branch: target, start: only, isNew: true }
    : { start: target, isNew: false };
}

function toSwitch({ branch, start, isNew }: Target): readonly string[] {
  if (branch === undefined) return ["switch", "--quiet", "--detach", start];
  return isNew
    ? ["switch", "--quiet", "--track", "--create", branch, start]
    : ["switch", "--quiet", "--no-guess", branch];
}
