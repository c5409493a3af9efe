import type { Resource, ResourceTemplateDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";

import { defineResourceTemplate } from "../define.ts";
import { RepositoryCall } from "../domain/git/repository-call.ts";
import { requireOwnIndex } from "../domain/reading/own-index.ts";
import type { Repository } from "../domain/repository/repository.ts";
import type { WatchedKind } from "../domain/watching/repository-watch.ts";
import { type GitContext, type GitState, withRepository } from "../state.ts";
import {
  completeCommit,
  completePath,
  completeRange,
  completeRef,
  completeRepository,
} from "./completion.ts";
import {
  DIFF_TYPE,
  JSON_TYPE,
  readCommitText,
  readDiffText,
  readFileContents,
  readKind,
  toText,
} from "./contents.ts";

const WATCHED = /^git:\/\/([^/]+)\/(HEAD|status|branches)$/;

/** A resource of every repository: listed, and can be subscribed to. */
const defineWatched = (
  kind: WatchedKind,
  title: string,
  description: string,
): ResourceTemplateDefinition<GitState> =>
  defineResourceTemplate({
    uriTemplate: `git://{repo}/${kind}`,
    name: kind,
    title,
    description,
    mimeType: JSON_TYPE,
    read: ({ repo }, context, uri) =>
      withRepository(context, repo, async (call) => toText(uri, JSON_TYPE, await readKind(call, kind))),
    list: (context) =>
      context.state.roots.withKnownGuard(context, { resources: [] }, (guard) => ({
        resources: context.state.repositories.list(guard).map(({ name }): Resource => ({
          uri: `git://${encodeURIComponent(name)}/${kind}`,
          name: `${kind} of ${name}`,
          mimeType: JSON_TYPE,
        })),
      })),
    complete: { repo: completeRepository },
    subscribe: watch,
  });

/** A watcher serves all clients, so it looks for the repository within the boundary that they share. */
function watch(
  uri: string,
  changed: () => void,
  { roots, repositories, watching, git }: GitState,
): (() => void) | undefined {
  const [, repo = "", kind] = WATCHED.exec(uri) ?? [];
  const guard = roots.latest;
  if (kind === undefined || !guard) return undefined;
  // Opened each time, as its settings may have changed.
  const open = (): Repository => repositories.open(guard, decodeName(repo));
  const read = async (of: WatchedKind, signal: AbortSignal): Promise<string> => {
    const call = new RepositoryCall(git, guard, open(), signal);
    await requireOwnIndex(call);
    return readKind(call, of);
  };
  // The pattern matches only these kinds.
  return watching.watch(open(), read, kind as WatchedKind, changed);
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new Fault("invalid_input", `${JSON.stringify(encoded)} has a % that encodes nothing`);
  }
}

/** Refuses repositories outside of the caller's own directories. */
export const admitWatcher = (uri: string, context: GitContext): void | Promise<void> => {
  const repo = WATCHED.exec(uri)?.[1];
  if (repo === undefined) return undefined;
  const { roots, repositories } = context.state;
  return roots.withWatchedGuard(context, (guard) => void repositories.open(guard, decodeName(repo)));
};

export const templates: readonly ResourceTemplateDefinition<GitState>[] = [
  defineWatched("HEAD", "HEAD", "The branch and commit that are checked out"),
  defineWatched(
    "status",
    "Status",
    "Staged, unstaged and untracked files, conflicts, and the operation in progress",
  ),
  defineWatched("branches", "Branches", "Local and remote branches, the latest first"),
  defineResourceTemplate({
    uriTemplate: "git://{repo}/commit/{sha}",
    name: "commit",
    title: "A commit",
    description: "A commit with its message and diff",
    mimeType: DIFF_TYPE,
    read: ({ repo, sha }, context, uri) =>
      withRepository(context, repo, (call) => readCommitText(call, uri, sha)),
    complete: { repo: completeRepository, sha: completeCommit },
  }),
  defineResourceTemplate({
    uriTemplate: "git://{repo}/file/{rev}/{+path}",
    name: "file",
    title: "A file of a revision",
    description: "A file as it was in a revision (up to 1 MiB). Write a slash in the revision as %2F",
    read: ({ repo, rev, path }, context, uri) =>
      withRepository(context, repo, (call) => readFileContents(call, uri, { rev, path })),
    complete: { repo: completeRepository, rev: completeRef, path: completePath },
  }),
  defineResourceTemplate({
    uriTemplate: "git://{repo}/diff/{range}",
    name: "diff",
    title: "A diff",
    description: "What is different: A..B, A...B, a revision against the work tree, staged, or unstaged",
    mimeType: DIFF_TYPE,
    read: ({ repo, range }, context, uri) =>
      withRepository(context, repo, (call) => readDiffText(call, uri, range)),
    complete: { repo: completeRepository, range: completeRange },
  }),
];
