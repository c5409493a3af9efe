import type { ClientRoots, Context, MaybePromise, ToolContext } from "@suite/server-kit";
import { fitItems, shownSize } from "@suite/server-kit/domain";

import type { Git } from "./domain/git/git.ts";
import { RepositoryCall } from "./domain/git/repository-call.ts";
import { requireOwnIndex } from "./domain/reading/own-index.ts";
import type { Conflict } from "./domain/reading/status.ts";
import type { RepositoryWatchers } from "./domain/watching/repository-watch.ts";
import type { Repositories } from "./domain/repository/repositories.ts";
import type { RepositoryChange, Changes } from "./domain/writing/changes.ts";
import type { GitOptions } from "./options.ts";
import { toShortId } from "./tools/shown.ts";

/** What the tools, resources and prompts of this server share. */
export interface GitState {
  readonly roots: ClientRoots;
  readonly repositories: Repositories;
  readonly git: Git;
  readonly changes: Changes;
  readonly watching: RepositoryWatchers;
  /** What the operator allows beyond reading and committing. */
  readonly policy: Pick<GitOptions, "allowForce" | "confirmPush" | "resetHard" | "sharedUndo">;
}

export type GitContext = Context<GitState>;
export type GitToolContext = ToolContext<GitState>;

/** Opens the repository that repoPath names, if it lies inside the caller's directories. */
export function withRepository<T>(
  context: GitContext,
  repoPath: string | undefined,
  work: (call: RepositoryCall) => MaybePromise<T>,
): MaybePromise<T> {
  const { roots, repositories, git } = context.state;
  return roots.withGuard(context, async (guard) => {
    const call = new RepositoryCall(git, guard, repositories.open(guard, repoPath), context.stop);
    await requireOwnIndex(call);
    return work(call);
  });
}

/** The same for a write: one at a time per repository, and kept for git_undo once it has begun. */
export function withChange<T extends ChangeResult>(
  context: GitToolContext,
  repoPath: string | undefined,
  work: (call: RepositoryCall, change: RepositoryChange) => Promise<T>,
): MaybePromise<FittedChange<T>> {
  return withRepository(context, repoPath, (call) =>
    context.state.changes.run(call, context.principal, async (change) => {
      const done = fitChange(await work(call, change), context.budget);
      return change.id === undefined ? done : { ...done, undo: change.id };
    }),
  );
}

interface InRepository {
  readonly repo_path?: string | undefined;
}

/** `run` for a tool that reads a repository. */
export const reading =
  <I, T>(work: (call: RepositoryCall, input: I, context: GitToolContext) => MaybePromise<T>) =>
  (input: I & InRepository, context: GitToolContext): MaybePromise<T> =>
    withRepository(context, input.repo_path, (call) => work(call, input, context));

/** `run` for a tool that changes a repository. */
export const changing =
  <I, T extends ChangeResult>(
    work: (call: RepositoryCall, change: RepositoryChange, input: I, context: GitToolContext) => Promise<T>,
  ) =>
  (input: I & InRepository, context: GitToolContext): MaybePromise<FittedChange<T>> =>
    withChange(context, input.repo_path, (call, change) => work(call, change, input, context));

interface ChangeResult {
  readonly commit?: string | undefined;
  readonly changed: readonly string[];
  readonly conflicts?: readonly Conflict[];
}

/** With as many names as fit. */
export type FittedChange<T extends ChangeResult> = Omit<T, "changed" | "conflicts"> & {
  changed: string[];
  changed_total?: number;
  conflicts?: Conflict[];
  conflicts_total?: number;
  undo?: string;
};

/** Conflicts come first, since they block the next step. No field if there are none. The commit is named as in lists. */
export function fitChange<T extends ChangeResult>(done: T, budget: number): FittedChange<T> {
  const { changed, conflicts = [], ...rest } = done;
  const first = fitItems(conflicts, budget / 2).items;
  const names = fitItems(changed, budget - shownSize(first)).items;
  return {
    ...rest,
    ...(done.commit !== undefined && { commit: toShortId(done.commit) }),
    changed: [...names],
    ...(names.length < changed.length && { changed_total: changed.length }),
    ...(first.length > 0 && { conflicts: [...first] }),
    ...(first.length < conflicts.length && { conflicts_total: conflicts.length }),
  };
}
