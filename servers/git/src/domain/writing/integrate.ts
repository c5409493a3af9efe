import { existsSync } from "node:fs";
import { join } from "node:path";

import { type ChildResult, Fault, type PathGuard } from "@suite/server-kit/domain";

import { toGitFault } from "../git/failures.ts";
import { type Commit, findCommit } from "../reading/history.ts";
import { type Conflict, findOperation, type Operation, readStatus, type Status } from "../reading/status.ts";
import type { Repository } from "../repository/repository.ts";
import { readSmallFile } from "../repository/small-file.ts";
import type { Change, ChangeContext } from "./changes.ts";
import { listApplied, listMissing, requireNothingInTheWay } from "./in-the-way.ts";
import {
  canPredict,
  listDifferences,
  parentOrNothing,
  type Prediction,
  predictMerge,
  predictThreeWays,
} from "./prediction.ts";

/** `stopped`: there are conflicts to resolve before it can be continued. */
export type Outcome = "done" | "up_to_date" | "fast_forward" | "stopped";

export interface Integrated {
  readonly outcome: Outcome;
  readonly changed: readonly string[];
  /** HEAD, once it is done. */
  readonly commit?: string;
  readonly conflicts: readonly Conflict[];
  /** How many commits were or would be applied. */
  readonly commits?: number;
  /** In a dry run: whether conflicts could be predicted. */
  readonly predicted?: boolean;
}

export interface MergeRequest {
  readonly target: string;
  readonly message?: string | undefined;
  readonly mode: "auto" | "no_ff" | "ff_only" | "squash";
  readonly dryRun: boolean;
}

const MERGE_FLAGS: { readonly [Mode in MergeRequest["mode"]]: readonly string[] } = {
  auto: ["--ff"],
  no_ff: ["--no-ff"],
  ff_only: ["--ff-only"],
  squash: ["--squash"],
};

export async function merge(
  context: ChangeContext,
  change: Change,
  { target, message, mode, dryRun }: MergeRequest,
): Promise<Integrated> {
  const { git, repository, signal } = context;
  requireNoOperation(context);
  const { commit: theirs } = await findCommit(git, repository, target, signal);
  const ours = (await findCommit(git, repository, "HEAD", signal)).commit;
  if (await isAncestor(context, theirs, ours))
    return { outcome: "up_to_date", changed: [], commit: ours, conflicts: [] };
  const isForward = mode !== "no_ff" && mode !== "squash" && (await isAncestor(context, ours, theirs));
  if (mode === "ff_only" && !isForward) {
    throw new Fault("conflict", `${JSON.stringify(target)} cannot be merged by moving the branch forward`, {
      hint: "Both have commits of their own: merge with mode auto, or rebase.",
    });
  }
  const base = isForward ? ours : await findBase(context, ours, theirs);
  await requireNothingInTheWay(context, await listApplied(context, [`${theirs} ${base}`]));
  if (dryRun) {
    if (isForward)
      return {
        outcome: "fast_forward",
        changed: await listDifferences(context, ours, theirs),
        conflicts: [],
      };
    return toDryRun(context, ours, () => predictMerge(context, ours, theirs));
  }
  await change.begin({ tool: "git_merge", summary: `merge ${target}`, worktree: true });
  const words = isForward || mode === "squash" ? [] : ["-m", message ?? `Merge ${target}`];
  const args = ["merge", "--quiet", "--no-stat", "--no-autostash", ...MERGE_FLAGS[mode], ...words, theirs];
  return finish(context, ours, await run(change, args), isForward ? "fast_forward" : "done");
}

export interface RebaseRequest {
  readonly target: string;
  /** Where to put the commits, if not on `target` itself. */
  readonly onto?: string | undefined;
  readonly dryRun: boolean;
}

/** Puts the commits of the current branch that `target` does not have on top of it. */
export async function rebase(
  context: ChangeContext,
  change: Change,
  { target, onto, dryRun }: RebaseRequest,
): Promise<Integrated> {
  const { git, repository, signal } = context;
  requireNoOperation(context);
  const { commit: upstream } = await findCommit(git, repository, target, signal);
  const ours = (await findCommit(git, repository, "HEAD", signal)).commit;
  const start = onto === undefined ? upstream : (await findCommit(git, repository, onto, signal)).commit;
  const listed = await git.text(
    repository,
    ["rev-list", "--reverse", "--no-merges", "--cherry-pick", "--right-only", `${upstream}...${ours}`],
    { signal },
  );
  const commits = listed.split("\n").filter((line) => line !== "");
  if (onto === undefined && (await isAncestor(context, upstream, ours)))
    return { outcome: "up_to_date", changed: [], commit: ours, conflicts: [] };
  const written = [...(await listMissing(context, start)), ...(await listApplied(context, commits))];
  await requireNothingInTheWay(context, written);
  if (dryRun) return toDryRun(context, ours, () => predictSequence(context, start, commits), commits.length);
  await change.begin({
    tool: "git_rebase",
    summary: `rebase ${commits.length} commits on ${onto ?? target}`,
    worktree: true,
  });
  const flags = ["--quiet", "--no-stat", "--no-autostash", "--no-fork-point", "--no-autosquash"];
  // Other branches that point to these commits stay where they are.
  const args = ["-c", "rebase.updateRefs=false", "rebase", ...flags, "--onto", start, upstream];
  return { ...(await finish(context, ours, await run(change, args), "done")), commits: commits.length };
}

export interface PickRequest {
  readonly revisions: readonly string[];
  /** Of a merge commit: the parent that its changes are seen from, counted from 1. */
  readonly mainline?: number | undefined;
  readonly noCommit: boolean;
  readonly dryRun: boolean;
}

/** Applies what commits have changed, or takes it back. */
export async function pick(
  context: ChangeContext,
  change: Change,
  command: "cherry-pick" | "revert",
  { revisions, mainline, noCommit, dryRun }: PickRequest,
): Promise<Integrated> {
  const { git, repository, signal } = context;
  requireNoOperation(context);
  const commits: Commit[] = [];
  for (const revision of revisions) commits.push(await findCommit(git, repository, revision, signal));
  requireMainline(commits, mainline);
  const ours = (await findCommit(git, repository, "HEAD", signal)).commit;
  const ids = commits.map(({ commit }) => commit);
  const isReversed = command === "revert";
  const steps = commits.map(({ commit, parents }) => `${commit} ${parents[(mainline ?? 1) - 1] ?? ""}`);
  await requireNothingInTheWay(context, await listApplied(context, steps, { isReversed }));
  if (dryRun) {
    const predict = (): Promise<Prediction> => predictSequence(context, ours, ids, { mainline, isReversed });
    return toDryRun(context, ours, predict, ids.length);
  }
  const tool = command === "revert" ? "git_revert" : "git_cherry_pick";
  await change.begin({ tool, summary: `${command} ${revisions.join(", ")}`, worktree: true });
  const flags = [
    ...(noCommit ? ["--no-commit"] : command === "revert" ? ["--no-edit"] : []),
    ...(mainline === undefined ? [] : ["--mainline", String(mainline)]),
  ];
  const result = await run(change, [command, ...flags, ...ids]);
  const done = await finish(context, ours, result, "done", async () => {
    // Nothing of it is left to apply: git stops, and waits to be told what to do about an empty commit.
    await change.run([command, "--abort"], { accept: [1, 128] });
    throw new Fault("conflict", "One of these commits changes nothing here, so none was applied", {
      hint: "It may have been applied already: git_log shows. Leave it out.",
    });
  });
  return { ...done, commits: ids.length };
}

function requireMainline(commits: readonly Commit[], mainline: number | undefined): void {
  const merged = commits.find(({ parents }) => parents.length > 1);
  if (merged && mainline === undefined) {
    throw new Fault("invalid_input", `${merged.commit.slice(0, 10)} is a merge`, {
      hint: "Give mainline: 1 to see its changes from its first parent, the branch that was merged into.",
    });
  }
  const wrong = commits.find(({ parents }) => mainline !== undefined && parents.length < mainline);
  if (wrong) throw new Fault("invalid_input", `${wrong.commit.slice(0, 10)} has no parent ${mainline}`);
}

export type Ending = "continue" | "abort" | "skip";

export interface Ended extends Integrated {
  readonly operation: Operation;
}

/** Continues, leaves out a step of, or gives up what has stopped at conflicts. */
export async function endOperation(
  context: ChangeContext,
  change: Change,
  { ending, dryRun }: { readonly ending: Ending; readonly dryRun: boolean },
): Promise<Ended> {
  const { git, repository, signal } = context;
  const operation = findOperation(repository);
  if (operation === undefined) throw new Fault("precondition_failed", "No operation is in progress");
  if (ending !== "abort" && !git.isTrusting) requireHarmless(context.guard, repository);
  const isUnknown = operation === "merge" ? ending === "skip" : operation === "bisect" && ending !== "abort";
  if (isUnknown) throw new Fault("unsupported", `A ${operation} knows no ${ending}`);
  const status = await readStatus(git, repository, { untracked: "no", signal });
  if (ending === "continue" && status.conflicts.length > 0) throw refuseUnresolved(status.conflicts);
  const changed = [...status.staged.map(({ path }) => path), ...status.conflicts.map(({ path }) => path)];
  // These two reset the work tree; the others keep what they do not know.
  if (ending !== "continue" && (operation === "rebase" || operation === "am")) requireNoEdits(status);
  if (dryRun) return { operation, outcome: "done", changed, conflicts: [] };
  const before = (await findCommit(git, repository, "HEAD", signal)).commit;
  const summary = `${ending} ${operation}`;
  // What has ended cannot be brought back, so there is nothing to undo it by.
  await change.begin({ tool: "git_continue_or_abort", summary, keepsNoBackup: true });
  const args = operation === "bisect" ? ["bisect", "reset"] : [operation, `--${ending}`];
  const result = await run(change, args);
  const ended = await finish(context, before, result, "done", () => {
    throw new Fault("conflict", "What is left of this commit changes nothing", {
      hint: "Leave it out with action skip.",
    });
  });
  return { operation, ...ended, changed: [...new Set([...ended.changed, ...changed])] };
}

/** What git itself writes into the list of a rebase, and what none of them does is run a program. */
const STEPS: ReadonlySet<string> = new Set(
  "pick p reword r edit e squash s fixup f drop d break b label l reset t merge m noop update-ref u revert".split(
    " ",
  ),
);
const MOST_TODO = 16 * 1024 * 1024;

/**
 * The state of an operation is part of the repository, whoever wrote it: its list of steps can name programs, and so can
 * its strategy.
 */
function requireHarmless(guard: PathGuard, { gitDir }: Repository): void {
  const read = (name: string): string => {
    const file = join(gitDir, name);
    return existsSync(file) ? readSmallFile(guard, file, MOST_TODO).toString() : "";
  };
  const steps = ["rebase-merge/git-rebase-todo", "sequencer/todo"].flatMap((name) => read(name).split("\n"));
  const words = steps.map((line) => line.trim().split(/\s/, 1)[0] ?? "");
  const strange = words.find((word) => word !== "" && !word.startsWith("#") && !STEPS.has(word));
  const chosen = /^\s*strategy\s*=\s*(.*)$/m.exec(read("sequencer/opts"))?.[1] ?? "";
  const strategy = read("rebase-merge/strategy").trim() || chosen.trim();
  const isForeign = strategy !== "" && !["ort", "recursive"].includes(strategy);
  if (strange === undefined && !isForeign) return;
  throw new Fault(
    "permission_denied",
    strange === undefined
      ? `This operation uses the strategy ${JSON.stringify(strategy)}, which may be a program`
      : `A step of this operation is ${JSON.stringify(strange)}, which may run a program`,
    { hint: "Give it up with action abort, or finish it outside of this server." },
  );
}

const refuseUnresolved = (conflicts: readonly Conflict[]): Fault =>
  new Fault(
    "conflict",
    `${conflicts.length} files still have conflicts, such as ${JSON.stringify(conflicts[0]?.path)}`,
    { hint: "git_conflicts shows them, git_resolve_conflict resolves them." },
  );

function requireNoEdits({ unstaged }: Status): void {
  const files = unstaged.map(({ path }) => path);
  if (files.length === 0) return;
  throw new Fault(
    "conflict",
    `Changes that are not staged would be lost in ${files.length} files, such as ${JSON.stringify(files[0])}`,
    { hint: "git_restore gives them up.", details: { files: files.slice(0, 20) } },
  );
}

function requireNoOperation({ repository }: ChangeContext): void {
  const operation = findOperation(repository);
  if (operation === undefined) return;
  throw new Fault("precondition_failed", `A ${operation} is in progress`, {
    hint: "End it with git_continue_or_abort first.",
  });
}

async function isAncestor(
  { git, repository, signal }: ChangeContext,
  older: string,
  newer: string,
): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", older, newer];
  return (await git.run(repository, args, { signal, accept: [1] })).code === 0;
}

/** What both have in common; nothing where they have nothing. */
async function findBase(
  { git, repository, signal }: ChangeContext,
  ours: string,
  theirs: string,
): Promise<string> {
  const found = await git.text(repository, ["merge-base", ours, theirs], { signal, accept: [1] });
  return found.trim();
}

interface Ran extends ChildResult {
  readonly args: readonly string[];
}

const run = async (change: Change, args: readonly string[]): Promise<Ran> => ({
  ...(await change.run(args, { accept: [1], signs: true })),
  args,
});

/** Git ends with 1 where it stops at conflicts, and also where it did nothing. */
async function finish(
  context: ChangeContext,
  before: string,
  result: Ran,
  outcome: Outcome,
  onEmpty?: () => Promise<never> | never,
): Promise<Integrated> {
  const { git, repository, signal } = context;
  const { conflicts, staged } = await readStatus(git, repository, { untracked: "no", signal });
  if (conflicts.length > 0) {
    const changed = [...staged, ...conflicts].map(({ path }) => path);
    return { outcome: "stopped", changed: [...new Set(changed)].toSorted(), conflicts };
  }
  if (result.code !== 0) {
    if (onEmpty && /empty|nothing to commit/i.test(`${result.stderr}${result.stdout.toString()}`))
      return onEmpty();
    throw toGitFault(result, result.args);
  }
  const commit = (await findCommit(git, repository, "HEAD", signal)).commit;
  const files = await listDifferences(context, before, commit);
  const changed = [...new Set([...files, ...staged.map(({ path }) => path)])].toSorted();
  return { outcome, changed, commit, conflicts: [] };
}

/** More steps than this are not looked at one by one. */
const MOST_STEPS = 100;

async function toDryRun(
  context: ChangeContext,
  ours: string,
  predict: () => Promise<Prediction>,
  commits?: number,
): Promise<Integrated> {
  const counted = commits === undefined ? {} : { commits };
  if (!(await canPredict(context)) || (commits ?? 0) > MOST_STEPS)
    return { outcome: "done", changed: [], conflicts: [], predicted: false, ...counted };
  const { tree, conflicts } = await predict();
  return {
    outcome: conflicts.length > 0 ? "stopped" : "done",
    changed: [...new Set([...(await listDifferences(context, ours, tree)), ...conflicts])].toSorted(),
    conflicts: conflicts.map((path) => ({ path, kind: "predicted" })),
    predicted: true,
    ...counted,
  };
}

/** One commit after the other, up to the first that would stop. */
async function predictSequence(
  context: ChangeContext,
  start: string,
  commits: readonly string[],
  options: { readonly mainline?: number | undefined; readonly isReversed?: boolean } = {},
): Promise<Prediction> {
  const { git, repository, signal } = context;
  let prediction: Prediction = { tree: start, conflicts: [] };
  for (const id of commits) {
    const { parents } = await findCommit(git, repository, id, signal);
    const parent = await parentOrNothing(context, parents, options.mainline);
    const [base, theirs] = options.isReversed ? [id, parent] : [parent, id];
    prediction = await predictThreeWays(context, { base, ours: prediction.tree, theirs });
    if (prediction.conflicts.length > 0) return prediction;
  }
  return prediction;
}
