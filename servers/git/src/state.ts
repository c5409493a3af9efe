import type { ClientRoots, Context, MaybePromise, ToolContext } from "@suite/server-kit";
import type { PathGuard } from "@suite/server-kit/domain";

import type { Git } from "./domain/git/git.ts";
import type { Watching } from "./domain/watching/repository-watch.ts";
import type { Repositories } from "./domain/repository/repositories.ts";
import type { Repository } from "./domain/repository/repository.ts";
import type { Change, ChangeContext, Changes } from "./domain/writing/changes.ts";

/** What the operator allows beyond reading and committing. */
export interface Policy {
  readonly resetHard: boolean;
  readonly network: boolean;
  readonly force: boolean;
  readonly confirmPush: boolean;
}

/** What the tools, resources and prompts of this server share. */
export interface GitState {
  readonly roots: ClientRoots;
  readonly repositories: Repositories;
  readonly git: Git;
  readonly changes: Changes;
  readonly watching: Watching;
  readonly policy: Policy;
}

export type GitContext = ToolContext<GitState>;

/** Works in the repository that the caller means, if it lies inside the caller's directories. */
export function withRepository<T>(
  context: Context<GitState>,
  repoPath: string | undefined,
  work: (repository: Repository, guard: PathGuard) => MaybePromise<T>,
): MaybePromise<T> {
  const { roots, repositories } = context.state;
  return roots.withGuard(context, (guard) => work(repositories.open(guard, repoPath), guard));
}

/** The same for a write: one at a time per repository, and kept for git_undo once it has begun. */
export function withChange<T>(
  context: Context<GitState>,
  repoPath: string | undefined,
  work: (given: ChangeContext, change: Change) => Promise<T>,
): MaybePromise<T> {
  const { git, changes } = context.state;
  return withRepository(context, repoPath, (repository, guard) => {
    const given = { git, guard, repository, signal: context.stop };
    return changes.run(given, (change) => work(given, change));
  });
}
