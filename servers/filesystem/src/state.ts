import type { Context, MaybePromise } from "@suite/core";
import type { PathGuard } from "@suite/server-kit/domain";

import type { Boundary } from "./boundary.ts";
import type { PathWatching } from "./domain/watching/path-watching.ts";
import type { ChangeJournal } from "./domain/writing/change-journal.ts";

/** What the tools, resources and prompts of this server share. */
export interface FilesystemState {
  readonly boundary: Boundary;
  readonly changes: ChangeJournal;
  readonly watching: PathWatching;
}

export type FilesystemContext = Context<FilesystemState>;

/** Works inside the caller's boundary: at once where nobody must be asked for it, which is what makes small reads fast. */
export function withGuard<T>(
  context: FilesystemContext,
  work: (guard: PathGuard) => MaybePromise<T>,
): MaybePromise<T> {
  const guard = context.state.boundary.guardFor(context);
  return guard instanceof Promise ? guard.then(work) : work(guard);
}

/** For lists and completions: `nothing` where the client would have to be asked, and cannot be. */
export const withKnownGuard = <T, Nothing>(
  context: FilesystemContext,
  nothing: Nothing,
  work: (guard: PathGuard) => MaybePromise<T>,
): MaybePromise<T | Nothing> =>
  context.state.boundary.isUnknownToLists(context) ? nothing : withGuard(context, work);
