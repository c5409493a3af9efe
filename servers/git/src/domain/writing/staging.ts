import { Fault } from "@suite/server-kit/domain";

import { fromFileName, toPathInput, toRepositoryPath } from "../names.ts";
import { chooseHunks, type Hunk, listHunks, toPatch } from "../reading/hunks.ts";
import { splitRecords } from "../reading/records.ts";
import { type ChangedFile, readStatus, type Status } from "../reading/status.ts";
import type { Change, ChangeContext } from "./changes.ts";

/** Names come by standard input: it takes every name there is, and none of them is a pattern or an option. */
export const FROM_INPUT: readonly string[] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

export interface Staged {
  readonly changed: readonly string[];
}

/** Stages files as they are now, also those that are gone. Which ones is asked of git first, so that a dry run says the same. */
export async function stageFiles(
  context: ChangeContext,
  change: Change,
  { files, dryRun }: { readonly files: readonly string[]; readonly dryRun: boolean },
): Promise<Staged> {
  const paths = files.map((file) => toRepositoryPath(context.repository, file));
  const found = await findStageable(context, paths);
  if (found.length === 0 || dryRun) return { changed: found };
  await change.begin({ tool: "git_add", summary: `stage ${describeFiles(found)}` });
  await addFiles(change, found);
  return { changed: found };
}

export const describeFiles = (files: readonly string[]): string =>
  files.length === 1 ? (files[0] ?? "") : `${files.length} files`;

/** Inside a change that has begun. */
export async function addFiles(change: Change, files: readonly string[]): Promise<void> {
  await change.run(["--literal-pathspecs", "add", "--all", ...FROM_INPUT], { input: toPathInput(files) });
}

/** Files at or below these paths that are different from the index, each by its own name. */
export async function findStageable(
  context: ChangeContext,
  paths: readonly string[],
): Promise<readonly string[]> {
  const { git, repository, signal } = context;
  const status = await readStatus(git, repository, { untracked: "all", signal });
  const candidates = [
    ...status.unstaged.map(({ path }) => path),
    ...status.untracked,
    ...status.conflicts.map(({ path }) => path),
  ];
  for (const path of paths) await requireKnown(context, status, candidates, path);
  return [...new Set(candidates)].filter((name) => paths.some((path) => isAtOrBelow(name, path))).toSorted();
}

/** A nested repository is listed with a slash at its end, and is never staged as such. */
const isAtOrBelow = (name: string, path: string): boolean =>
  !name.endsWith("/") && (path === "" || name === path || isBelow(name, path));

function isBelow(name: string, path: string): boolean {
  const [inner, outer] = [fromFileName(name), Buffer.concat([fromFileName(path), Buffer.from("/")])];
  return inner.subarray(0, outer.length).equals(outer);
}

/** What is unchanged is fine; what is neither changed nor tracked is a mistake, or ignored. */
async function requireKnown(
  { git, repository, signal }: ChangeContext,
  { staged }: Status,
  candidates: readonly string[],
  path: string,
): Promise<void> {
  const names = [...candidates, ...staged.map((file: ChangedFile) => file.path)];
  if (path === "" || names.some((name) => isAtOrBelow(name, path))) return;
  // So that no name is taken for a pattern.
  const input = Buffer.concat([Buffer.from("./"), fromFileName(path), Buffer.of(0)]);
  const tracked = await git.run(
    repository,
    ["--literal-pathspecs", "ls-files", "-z", "--error-unmatch", "--", toPlain(path)],
    { signal, accept: [1], maxOutputBytes: 64 * 1024 * 1024 },
  );
  if (splitRecords(tracked.stdout).length > 0) return;
  const ignored = await git.run(repository, ["check-ignore", "-z", "--stdin"], {
    signal,
    accept: [1],
    input,
  });
  throw new Fault(
    ignored.code === 0 ? "invalid_input" : "not_found",
    `${JSON.stringify(path)} ${ignored.code === 0 ? "is ignored (.gitignore)" : "is neither there nor tracked"}`,
    { hint: "git_status shows what can be staged." },
  );
}

const toPlain = (path: string): string => fromFileName(path).toString();

export type HunkDirection = "stage" | "unstage";

/** Stages or unstages hunks by their ids, and checks that they really moved. */
export async function applyHunks(
  context: ChangeContext,
  change: Change,
  request: { readonly ids: readonly string[]; readonly direction: HunkDirection; readonly dryRun: boolean },
): Promise<{ readonly hunks: readonly Hunk[]; readonly changed: readonly string[] }> {
  const { git, repository, signal } = context;
  const { ids, direction, dryRun } = request;
  const side = direction === "stage" ? "unstaged" : "staged";
  const hunks = chooseHunks(await listHunks(git, repository, side, undefined, signal), ids);
  const changed = [...new Set(hunks.map(({ path }) => path))];
  const input = toPatch(hunks);
  const reverse = direction === "unstage" ? ["--reverse"] : [];
  const args = ["apply", "--cached", "--recount", "--whitespace=nowarn", ...reverse];
  // Refused before anything is begun where it would not apply.
  await git.run(repository, [...args, "--check", "-"], { signal, input });
  if (dryRun) return { hunks, changed };
  await change.begin({
    tool: `git_${direction}_hunks`,
    summary: `${direction} ${hunks.length} hunks of ${describeFiles(changed)}`,
  });
  await change.run([...args, "-"], { input });
  const left = await listHunks(git, repository, side, undefined, signal);
  const stuck = ids.filter((id) => left.some((hunk) => hunk.id === id));
  if (stuck.length > 0)
    throw new Fault("internal", `git did not ${direction} ${stuck.join(", ")}, though it said so`);
  return { hunks, changed };
}

/** Takes files back out of the index, as they were in HEAD or in another commit. */
export async function unstageFiles(
  context: ChangeContext,
  change: Change,
  files: readonly string[],
  revision: string | undefined,
): Promise<void> {
  const paths = files.map((file) => toRepositoryPath(context.repository, file));
  await change.run(
    ["--literal-pathspecs", "reset", "--quiet", ...FROM_INPUT, ...(revision === undefined ? [] : [revision])],
    { input: toPathInput(paths) },
  );
}
