import { countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Asked, Revision } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { type Commit, findCommit, isBoundary } from "../reading/history.ts";
import type { RepositoryChange } from "./changes.ts";
import {
  listApplied,
  listMissing,
  requireCommitted,
  requireNothingInTheWay,
  requireSettled,
  requireSwitchable,
} from "./in-the-way.ts";
import { type Integrated, isAboutNothing, predictOutcome, runToOutcome } from "./outcome.ts";
import { predictMerge, predictSequence } from "./prediction.ts";
import { readIndex } from "./snapshot.ts";

export const MERGE = {
  target: Revision,
  mode: v.optional(v.picklist(["auto", "no_ff", "ff_only", "squash"])),
  message: v.optional(v.string()),
};

/** Explicit flags, so that the repository's configuration cannot change them. */
const MERGE_FLAGS: { readonly [mode: string]: readonly string[] } = {
  auto: ["--commit", "--ff"],
  no_ff: ["--commit", "--no-ff"],
  ff_only: ["--commit", "--ff-only"],
  squash: ["--squash", "--ff"],
};

export async function merge(
  call: RepositoryCall,
  change: RepositoryChange,
  { target, message, mode = "auto", dry_run: dryRun }: Asked<typeof MERGE>,
  tool = "git_merge",
): Promise<Integrated> {
  await requireSettled(call);
  const { commit: theirs } = await findCommit(call, target);
  const { commit: ours } = await findCommit(call, "HEAD");
  // Empty if the two have no common ancestor.
  const base = (await call.text(["merge-base", ours, theirs], { accept: [1] })).trim();
  if (base === theirs) return { outcome: "up_to_date", changed: [], commit: ours, conflicts: [] };
  // Git then takes their files as they are, and refuses before it changes any.
  const isAhead = base === ours && mode !== "no_ff";
  if (mode === "ff_only" && !isAhead) {
    throw new Fault("conflict", `${JSON.stringify(target)} cannot be merged by moving the branch forward`, {
      hint: "Both have commits of their own: merge with mode auto, or rebase.",
    });
  }
  const brought = await listApplied(call, [`${theirs} ${base}`]);
  await requireNothingInTheWay(call, brought);
  const outcome = isAhead && mode !== "squash" ? "fast_forward" : "done";
  if (isAhead) {
    if (dryRun) return { outcome, changed: await requireSwitchable(call, theirs), conflicts: [] };
  } else {
    // Where git cannot merge, it rewrites all uncommitted changes, so what is in its way is found before.
    const facts = { before: ours, brought };
    const predicted = await predictOutcome(call, () => predictMerge(call, ours, theirs), facts);
    if (dryRun) return predicted;
  }
  await change.begin({ tool, summary: `merge ${target}`, worktree: true });
  const words = isAhead || mode === "squash" ? [] : ["-m", message ?? `Merge ${target}`];
  const args = [
    "merge",
    "--quiet",
    "--no-stat",
    "--no-autostash",
    ...(MERGE_FLAGS[mode] ?? []),
    ...words,
    theirs,
  ];
  const done = await runToOutcome(call, change, args, { before: ours });
  return done.outcome === "done" ? { ...done, outcome } : done;
}

export const REBASE = {
  target: Revision,
  onto: v.optional(v.pipe(v.string(), v.description("Put them here instead"))),
};

/** Puts the commits of the current branch that `target` does not have on top of it. */
export async function rebase(
  call: RepositoryCall,
  change: RepositoryChange,
  { target, onto, dry_run: dryRun }: Asked<typeof REBASE>,
  tool = "git_rebase",
): Promise<Integrated> {
  await requireSettled(call);
  const { commit: upstream } = await findCommit(call, target);
  const { commit: ours } = await findCommit(call, "HEAD");
  const start = onto === undefined ? upstream : (await findCommit(call, onto)).commit;
  if (onto === undefined && (await call.asks(["merge-base", "--is-ancestor", upstream, ours])))
    return { outcome: "up_to_date", changed: [], commit: ours, conflicts: [] };
  const wanted = ["--reverse", "--no-merges", "--cherry-pick", "--right-only"];
  const steps = await call.lines(["rev-list", "--parents", ...wanted, `${upstream}...${ours}`]);
  await requireParents(call, steps);
  const brought = [...(await listMissing(call, start)), ...(await listApplied(call, steps))];
  await requireNothingInTheWay(call, brought);
  await requireCommitted(call, () => true);
  const commits = steps.length;
  if (dryRun) {
    const facts = { before: ours, brought, commits };
    return { ...(await predictOutcome(call, () => predictSequence(call, start, steps), facts)), commits };
  }
  const summary = `rebase ${countOf(commits, "commit")} on ${onto ?? target}`;
  await change.begin({ tool, summary, worktree: true });
  const flags = ["--quiet", "--no-stat", "--no-autostash", "--no-fork-point", "--no-autosquash"];
  // Other branches that point to these commits stay where they are.
  const args = ["-c", "rebase.updateRefs=false", "rebase", ...flags, "--onto", start, upstream];
  try {
    return { ...(await runToOutcome(call, change, args, { before: ours })), commits };
  } catch (thrown) {
    // Git stays in the middle of it, even with files not yet written.
    throw await afterEnding(change, ["rebase", "--abort"], thrown);
  }
}

export const PICK = {
  revisions: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(100)),
  mainline: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.description("Of a merge: which parent, from 1")),
  ),
  no_commit: v.optional(v.boolean()),
};

/** Applies what commits have changed, or takes it back. */
export async function pick(
  call: RepositoryCall,
  change: RepositoryChange,
  { revisions, mainline, no_commit: noCommit = false, dry_run: dryRun }: Asked<typeof PICK>,
  command: "cherry-pick" | "revert",
): Promise<Integrated> {
  await requireSettled(call);
  const picked: Commit[] = [];
  for (const revision of revisions) picked.push(await findCommit(call, revision));
  requireMainline(picked, mainline);
  const { commit: ours } = await findCommit(call, "HEAD");
  const ids = picked.map(({ commit }) => commit);
  const isReversed = command === "revert";
  const steps = picked.map(({ commit, parents }) =>
    `${commit} ${parents[(mainline ?? 1) - 1] ?? ""}`.trimEnd(),
  );
  await requireParents(call, steps);
  const brought = await listApplied(call, steps, isReversed ? "a" : "d");
  await requireNothingInTheWay(call, brought);
  const commits = ids.length;
  // With several commits, git would apply some before it finds one that changes nothing.
  if (dryRun || commits > 1) {
    // Without a commit, git adds to what is staged.
    const before = noCommit ? await readIndex(call) : ours;
    const facts = { before, brought, commits, keepsStaged: noCommit };
    const predict = async () => {
      const options = { isReversed, stopsAtNothing: !noCommit };
      const prediction = await predictSequence(call, before, steps, options);
      if (prediction.isNothing) throw refuseNothing(command);
      return prediction;
    };
    const predicted = await predictOutcome(call, predict, facts);
    if (dryRun) return { ...predicted, commits };
  }
  const tool = isReversed ? "git_revert" : "git_cherry_pick";
  await change.begin({ tool, summary: `${command} ${revisions.join(", ")}`, worktree: true });
  const flags = [
    ...(noCommit ? ["--no-commit"] : isReversed ? ["--no-edit"] : []),
    ...(mainline === undefined ? [] : ["--mainline", String(mainline)]),
  ];
  try {
    const done = await runToOutcome(call, change, [command, ...flags, ...ids], {
      before: ours,
      staysOpen: noCommit,
      toFault: async (result) => (isAboutNothing(result) ? refuseNothing(command) : undefined),
    });
    return { ...done, commits };
  } catch (thrown) {
    // Git stays in the middle of the operation. With --no-commit, --abort would discard what the user had staged.
    throw await afterEnding(change, [command, noCommit ? "--quit" : "--abort"], thrown);
  }
}

/** Refuses to apply a commit at which a shallow clone ends. */
async function requireParents(call: RepositoryCall, steps: readonly string[]): Promise<void> {
  for (const commit of steps.filter((step) => !step.includes(" "))) {
    if (!(await isBoundary(call, commit))) continue;
    throw new Fault("unsupported", `This clone is shallow, and ends at ${commit.slice(0, 10)}`, {
      hint: "What that commit changed is not known here: git would take every file for added.",
    });
  }
}

/** What was thrown, once the operation is ended, unless it is another process's, for which git refused ours. */
async function afterEnding(
  change: RepositoryChange,
  args: readonly string[],
  thrown: unknown,
): Promise<unknown> {
  const isTheirs = thrown instanceof Fault && BEGUN_BEFORE.test(thrown.message);
  if (!isTheirs) await change.putBack(args, { accept: [1, 128] }).catch(() => undefined);
  return thrown;
}

const BEGUN_BEFORE =
  /there is already a rebase-\w+ directory|is already in progress|not possible because you have unmerged/;

function refuseNothing(command: "cherry-pick" | "revert"): Fault {
  const verb = command === "revert" ? "reverted" : "applied";
  return new Fault("conflict", `One of these commits changes nothing here, so none is ${verb}`, {
    hint: `It may have been ${verb} already: git_log shows. Leave it out.`,
  });
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
