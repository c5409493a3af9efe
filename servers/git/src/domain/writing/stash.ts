import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Asked, Count, Paths, type Told } from "../fields.ts";
import { toGitFault } from "../git/failures.ts";
import {
  atOrBelow,
  FROM_INPUT,
  listUnmatched,
  splitRecords,
  toFileName,
  toPathInput,
  toRepositoryPath,
} from "../names.ts";
import { onDisk } from "../reading/behind-links.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { findCommit } from "../reading/history.ts";
import { type Conflict, namesOf, readStatus } from "../reading/status.ts";
import type { RepositoryChange, ChangeTool } from "./changes.ts";
import { requireUnfiltered } from "./filters.ts";
import { listApplied, refuseUnresolved, requireNothingInTheWay, requireResolved } from "./in-the-way.ts";
import { predictOutcome } from "./outcome.ts";
import { listDifferences, predictThreeWays } from "./prediction.ts";
import { HIDE, listHidden, readIndex, requireFreeIndex, SHOW } from "./snapshot.ts";
import { describeFiles, isTracked, refuseUntracked } from "./staging.ts";

export const STASH = {
  action: v.picklist(
    ["push", "pop", "apply", "drop"],
    'must be "push", "pop", "apply" or "drop". git_stash_list lists stashes.',
  ),
  message: v.optional(v.string()),
  files: Paths,
  include_untracked: v.optional(v.boolean()),
  keep_index: v.optional(v.boolean()),
  // The position in the list, or the commit of a stash.
  stash: v.optional(v.union([v.string(), Count])),
};

type StashRequest = Asked<typeof STASH>;

export const STASHED = {
  // Of the stash: after a drop, it can still be applied by this.
  commit: v.exactOptional(v.string()),
  // What was staged in it is back, but not staged.
  unstaged: v.exactOptional(v.literal(true)),
};

type Stashed = Told<typeof STASHED> & { readonly conflicts: readonly Conflict[] };

export const stash: ChangeTool<typeof STASH, Stashed> = async (call, change, request) => {
  // Git would fail without a word.
  if (!request.dry_run && request.action !== "drop") requireFreeIndex(call.repository);
  return request.action === "push" ? push(call, change, request) : take(call, change, request);
};

const push: ChangeTool<typeof STASH, Stashed> = async (call, change, request) => {
  const { repository } = call;
  const { message, include_untracked: includeUntracked, keep_index: keepIndex, files } = request;
  const paths = files?.map((file) => toRepositoryPath(repository, file));
  const status = await readStatus(call, {
    untracked: includeUntracked ? "all" : "no",
    submodules: "unstaged",
  });
  if (status.conflicts.length > 0) throw refuseUnresolved(status.conflicts);
  const noted = status.unstaged.find((file) => file.change === "added");
  if (noted)
    throw new Fault(
      "precondition_failed",
      `${JSON.stringify(noted.path)} was added with "git add --intent-to-add", so git cannot stash anything`,
      { hint: "Stage it with git_add, or unstage it with git_reset." },
    );
  // Git leaves nested repositories where they are.
  const untracked = status.untracked.filter((name) => !name.endsWith("/"));
  const all = namesOf([...status.staged, ...status.unstaged]);
  const isWanted = atOrBelow(paths ?? [""]);
  const hidden = (await listHidden(call)).filter(isWanted);
  const changed = [...new Set([...all, ...untracked, ...hidden])].filter(isWanted).toSorted();
  if (changed.length === 0) {
    throw new Fault("precondition_failed", "There are no changes to put aside", {
      hint: includeUntracked ? "git_status shows what there is." : "Untracked files need include_untracked.",
    });
  }
  // Git looks for each path among tracked files, and with untracked ones not at all.
  for (const path of includeUntracked ? [] : listUnmatched(paths ?? [], changed))
    if (path !== "" && !(await isTracked(call, path)))
      throw await refuseUntracked(
        call,
        path,
        "git_status shows what has changed. Untracked files need include_untracked.",
      );
  await requireUnfiltered(call, onDisk(repository, changed));
  await requireNothingInTheWay(call, all.filter(isWanted));
  // Git does not say that it needs a commit to stash on.
  await findCommit(call, "HEAD");
  if (request.dry_run) return { changed, conflicts: [] };
  await change.begin({ tool: "git_stash", summary: `stash ${describeFiles(changed)}`, worktree: true });
  const flags = [
    ...(includeUntracked ? ["--include-untracked"] : []),
    ...(keepIndex ? ["--keep-index"] : []),
    ...(message === undefined ? [] : ["-m", message]),
  ];
  // Without paths git itself uses a pattern to clean up untracked files, so patterns must stay patterns then.
  const some = paths
    ? { before: ["--literal-pathspecs"], after: FROM_INPUT, input: toPathInput(paths) }
    : { before: [], after: [], input: "" };
  const args = [...some.before, "stash", "push", "--quiet", ...flags, ...some.after];
  // Git would not stash changes in hidden files, but would still reset them.
  if (hidden.length > 0) await change.run(SHOW, { input: toPathInput(hidden) });
  try {
    await change.run(args, { input: some.input });
  } finally {
    if (hidden.length > 0) await hideAgain(change, hidden);
  }
  return { changed, commit: (await findCommit(call, "refs/stash")).commit, conflicts: [] };
};

/** Only files that are still tracked: one that was newly added is now only in the stash. */
async function hideAgain(change: RepositoryChange, hidden: readonly string[]): Promise<void> {
  const { stdout } = await change.putBack(["ls-files", "-z"]);
  const tracked = new Set(splitRecords(stdout).map(toFileName));
  await change.putBack(HIDE, { input: toPathInput(hidden.filter((name) => tracked.has(name))) });
}

const take: ChangeTool<typeof STASH, Stashed> = async (call, change, request) => {
  const { action, dry_run: dryRun } = request;
  const name = toStashName(request.stash, action);
  if ((await call.idOf(name)) === "")
    throw new Fault("not_found", `There is no ${name}`, { hint: "git_stash_list shows what is stashed." });
  const { commit, parents } = await findCommit(call, name);
  if (parents.length < 2) throw new Fault("invalid_input", `${commit.slice(0, 10)} is not a stash`);
  const [base = "", index = "", untracked] = parents;
  const brought = untracked === undefined ? [] : await listApplied(call, [untracked]);
  const stashed = await listDifferences(call, base, commit);
  const files = [...stashed, ...brought].toSorted();
  const isDropped = action === "drop";
  if (!isDropped) {
    await requireResolved(call);
    const written = [...(await listApplied(call, [`${commit} ${base}`])), ...brought];
    await requireNothingInTheWay(call, written);
  }
  if (dryRun && isDropped) return { changed: files, commit, conflicts: [] };
  if (dryRun) {
    // Git merges a stash with the index, and refuses to overwrite files that differ from the index.
    const ours = await readIndex(call);
    const predict = () => predictThreeWays(call, { base, ours, theirs: commit });
    const facts = { before: ours, brought: stashed, keepsStaged: true };
    return { changed: files, commit, conflicts: (await predictOutcome(call, predict, facts)).conflicts };
  }
  const scope = { worktree: !isDropped, stashes: action !== "apply" };
  await change.begin({ tool: "git_stash", summary: `${action} ${name}`, ...scope });
  const command = ["stash", action, "--quiet"];
  if (isDropped) {
    await change.run([...command, name]);
    return { changed: [name], commit, conflicts: [] };
  }
  const wasStaged = (await listDifferences(call, base, index)).length > 0;
  // Amid other staged changes, git would take these off if there are conflicts.
  const withIndex = wasStaged && (await readStatus(call)).staged.length === 0;
  const { conflicts, isStaged } = await restore(call, change, [...command, name], withIndex);
  return { changed: files, commit, conflicts, ...(wasStaged && !isStaged && { unstaged: true as const }) };
};

/** With what was staged, if that still goes together with what is there. */
async function restore(
  call: RepositoryCall,
  change: RepositoryChange,
  command: readonly string[],
  withIndex: boolean,
): Promise<{ readonly conflicts: readonly Conflict[]; readonly isStaged: boolean }> {
  const args = withIndex ? [...command, "--index"] : command;
  const result = await change.run(args, { accept: [1] });
  const { conflicts } = await readStatus(call);
  const isDone = result.code === 0;
  if (isDone || conflicts.length > 0) return { conflicts, isStaged: isDone && withIndex };
  if (!withIndex) throw toGitFault(result, args);
  return restore(call, change, command, false);
}

const POSITION = /^(?:stash@\{)?(\d{1,6})\}?$/;
const COMMIT = /^[0-9a-f]{7,64}$/;

/** A dropped stash is no longer listed, but can still be applied by its commit. */
function toStashName(which: StashRequest["stash"], action: StashRequest["action"]): string {
  const given = String(which ?? 0);
  const [, position] = POSITION.exec(given) ?? [];
  if (position !== undefined) return `refs/stash@{${position}}`;
  if (action === "apply" && COMMIT.test(given)) return given;
  throw new Fault("invalid_input", `${JSON.stringify(given)} is not a stash`, {
    hint: "git_stash_list shows them: give the number, as in 0.",
  });
}
