import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Asked, Files, type Told } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { atOrBelow, FROM_INPUT, listUnmatched, toPathInput, toRepositoryPath } from "../names.ts";
import { findCommit } from "../reading/history.ts";
import { findOperation, readStatus } from "../reading/status.ts";
import type { RepositoryChange, ChangeTool } from "./changes.ts";
import { compare, refuseInProgress, requireNothingInTheWay, requireResolved } from "./in-the-way.ts";
import { listHidden } from "./snapshot.ts";
import { describeFiles, isTracked, refuseUntracked } from "./staging.ts";

export const RESET = {
  target: v.optional(v.string()),
  mode: v.optional(v.picklist(["soft", "mixed", "hard"])),
  // Resets only these in the index; the branch does not move.
  files: v.optional(Files),
};

type ResetRequest = Asked<typeof RESET>;

export const MOVED = { commit: v.exactOptional(v.string()) };

type Reset = Told<typeof MOVED>;

/** Unstages, or moves the branch to another commit. */
export const reset: ChangeTool<typeof RESET, Reset> = async (call, change, request) => {
  const { mode = "mixed", target, files, dry_run: dryRun } = request;
  if (files !== undefined) return unstage(call, change, request, files);
  const head = await findHead(call);
  const commit = target === undefined ? head : (await findCommit(call, target)).commit;
  if (mode === "soft") {
    if (findOperation(call) === "merge") throw refuseInProgress("merge");
    await requireResolved(call);
  }
  const differing = await findResetFiles(call, mode, commit);
  if (mode === "hard" && commit !== undefined) {
    await requireNothingInTheWay(call, differing);
    await requireNoneMarked(call, commit);
  }
  const changed = [...(commit === head ? [] : ["HEAD"]), ...differing];
  if (dryRun) return { changed, ...(commit !== undefined && { commit }) };
  const summary = `reset --${mode} to ${commit?.slice(0, 10) ?? "nothing"}`;
  await change.begin({ tool: "git_reset", summary, worktree: mode === "hard" });
  await change.run(["reset", "--quiet", `--${mode}`, ...(commit === undefined ? [] : [commit]), "--"]);
  return { changed, ...(commit !== undefined && { commit }) };
};

/** Git does not replace a changed file that it was told to assume unchanged, or to leave out of the work tree. */
async function requireNoneMarked(call: RepositoryCall, commit: string): Promise<void> {
  const marked = new Set(await listHidden(call, { withSkipped: true }));
  if (marked.size === 0) return;
  const replaced = (await compare(call, ["diff-index", "--cached", commit])).find((name) => marked.has(name));
  if (replaced === undefined) return;
  const name = JSON.stringify(replaced);
  throw new Fault("conflict", `${name} has changes, and a mark that keeps git from replacing it`, {
    hint: "Outside of this server, remove the mark: git update-index --no-assume-unchanged or --no-skip-worktree.",
  });
}

/** Undefined before the first commit. */
const findHead = async (call: RepositoryCall): Promise<string | undefined> =>
  (await call.idOf("HEAD")) || undefined;

async function unstage(
  call: RepositoryCall,
  change: RepositoryChange,
  { mode = "mixed", target, dry_run: dryRun }: ResetRequest,
  files: readonly string[],
): Promise<Reset> {
  if (mode !== "mixed") {
    throw new Fault("invalid_input", `files cannot be given together with mode ${mode}`, {
      hint: "To give up changes in files, use git_restore.",
    });
  }
  const paths = files.map((file) => toRepositoryPath(call.repository, file));
  const commit = target === undefined ? await findHead(call) : (await findCommit(call, target)).commit;
  const changed = onlyAt(await findResetFiles(call, mode, commit), paths);
  await requireTracked(call, paths, changed);
  if (dryRun) return { changed };
  await change.begin({ tool: "git_reset", summary: `unstage ${describeFiles(changed)}` });
  const source = commit === undefined ? [] : [commit];
  await change.run(["--literal-pathspecs", "reset", "--quiet", ...FROM_INPUT, ...source], {
    input: toPathInput(paths),
  });
  return { changed };
}

/** Files that a reset changes: in the work tree if it is hard, else in the index. */
async function findResetFiles(
  call: RepositoryCall,
  mode: NonNullable<ResetRequest["mode"]>,
  commit: string | undefined,
): Promise<readonly string[]> {
  if (mode === "soft") return [];
  if (commit === undefined) return (await readStatus(call)).staged.map(({ path }) => path);
  return compare(call, ["diff-index", ...(mode === "hard" ? [] : ["--cached"]), commit]);
}

export const RESTORE = {
  files: Files,
  // Default: the index, or HEAD if the index is restored.
  source: v.optional(v.string()),
  staged: v.optional(v.boolean()),
  worktree: v.optional(v.boolean()),
};

/** Discards changes of files in the work tree, in the index, or in both. */
export const restore: ChangeTool<typeof RESTORE, Reset> = async (call, change, asked) => {
  const { source, staged = false, worktree = !staged, dry_run: dryRun } = asked;
  if (!staged && !worktree) throw new Fault("invalid_input", "One of staged and worktree must be true");
  const paths = asked.files.map((file) => toRepositoryPath(call.repository, file));
  const revision =
    source === undefined ? await findUnbornSource(call, staged) : (await findCommit(call, source)).commit;
  const base = revision ?? (staged ? "HEAD" : undefined);
  const comparison =
    base === undefined ? ["diff-files"] : ["diff-index", ...(worktree ? [] : ["--cached"]), base];
  const changed = onlyAt(await compare(call, comparison), paths);
  await requireTracked(call, paths, changed);
  // The index has no version of unresolved files to restore.
  if (!staged && revision === undefined) await requireResolved(call, (name) => changed.includes(name));
  if (worktree) await requireNothingInTheWay(call, changed);
  if (changed.length === 0 || dryRun) return { changed };
  await change.begin({ tool: "git_restore", summary: `restore ${describeFiles(changed)}`, worktree });
  const args = [
    "--literal-pathspecs",
    "restore",
    "--quiet",
    ...(staged ? ["--staged"] : []),
    ...(worktree ? ["--worktree"] : []),
    ...(revision === undefined ? [] : [`--source=${revision}`]),
    ...FROM_INPUT,
  ];
  await change.run(args, { input: toPathInput(paths) });
  return { changed };
};

/** Before the first commit, the index is restored from nothing: git has no HEAD to take. */
async function findUnbornSource(call: RepositoryCall, staged: boolean): Promise<string | undefined> {
  if (!staged || (await findHead(call)) !== undefined) return undefined;
  return (await call.text(["hash-object", "-t", "tree", "--stdin"], { input: "" })).trim();
}

const onlyAt = (names: readonly string[], paths: readonly string[]): readonly string[] =>
  [...new Set(names)].filter(atOrBelow(paths)).toSorted();

async function requireTracked(
  call: RepositoryCall,
  paths: readonly string[],
  changed: readonly string[],
): Promise<void> {
  for (const path of listUnmatched(paths, changed)) {
    if (path === "" || (await isTracked(call, path))) continue;
    throw await refuseUntracked(call, path, "git_status shows what has changed.");
  }
}
