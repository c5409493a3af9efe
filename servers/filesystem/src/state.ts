import type { ClientRoots, Context, MaybePromise } from "@suite/server-kit";
import type { DocumentFiles, PathGuard } from "@suite/server-kit/domain";

import type { PathWatch } from "./domain/watching/path-watch.ts";
import type { ChangeJournal } from "./domain/writing/changes/journal.ts";

/** Shared by the tools, resources and prompts of this server. */
export interface FilesystemState {
  readonly roots: ClientRoots;
  readonly changes: ChangeJournal;
  readonly watching: PathWatch;
  readonly documents: DocumentFiles;
}

export type FilesystemContext = Context<FilesystemState>;

/** Runs work with the caller's guard. */
export const withGuard = <T>(
  context: FilesystemContext,
  work: (guard: PathGuard) => MaybePromise<T>,
): MaybePromise<T> => context.state.roots.withGuard(context, work);

/** For lists and completions: returns `nothing` if the client would have to be asked, which is not possible there. */
export const withKnownGuard = <T, Nothing>(
  context: FilesystemContext,
  nothing: Nothing,
  work: (guard: PathGuard) => MaybePromise<T>,
): MaybePromise<T | Nothing> => context.state.roots.withKnownGuard(context, nothing, work);
