import { type ChildResult, type Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { FieldsOf } from "../fields.ts";
import { NOTHING_TO_COMMIT } from "../git/failure-readings.ts";
import { toGitFault } from "../git/failures.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { findCommit } from "../reading/history.ts";
import { type Conflict, findOperation, namesOf, readStatus } from "../reading/status.ts";
import type { RepositoryChange } from "./changes.ts";
import { listMissing, requireCommitted, requireNothingInTheWay } from "./in-the-way.ts";
import { canPredict, listDifferences, type Prediction } from "./prediction.ts";
import { findNestedOverrides } from "./submodules.ts";

/** Result of merges, rebases, cherry-picks and reverts, which may stop at conflicts. */
export const INTEGRATED = {
  outcome: v.picklist(["done", "up_to_date", "fast_forward", "stopped"]),
  // HEAD, once it is done.
  commit: v.exactOptional(v.string()),
  // How many commits were or would be applied.
  commits: v.exactOptional(v.number()),
  // In a dry run: whether conflicts could be predicted.
  predicted: v.exactOptional(v.boolean()),
};

export type Integrated = FieldsOf<typeof INTEGRATED> & {
  readonly changed: readonly string[];
  readonly conflicts: readonly Conflict[];
};

/** Git exits with 1 if it stops at conflicts, if it did nothing, and if a commit would become empty. */
export async function runToOutcome(
  call: RepositoryCall,
  change: RepositoryChange,
  args: readonly string[],
  {
    before,
    staysOpen = false,
    toFault,
  }: {
    readonly before: string;
    /** Whether the result is left uncommitted, as with --no-commit. */
    readonly staysOpen?: boolean;
    readonly toFault?: (result: ChildResult) => Promise<Fault | undefined>;
  },
): Promise<Integrated> {
  change.override(await findNestedOverrides(call));
  const result = await change.run(args, { accept: [1], signs: true });
  const { conflicts, staged } = await readStatus(call);
  const inIndex = [...namesOf(staged), ...conflicts.map(({ path }) => path)];
  if (conflicts.length > 0) return { outcome: "stopped", changed: sort(inIndex), conflicts };
  if (result.code !== 0) throw (await toFault?.(result)) ?? toGitFault(result, args);
  const { commit } = await findCommit(call, "HEAD");
  const changed = sort([...(await listDifferences(call, before, commit)), ...inIndex]);
  // Such as at an `edit` step of a rebase.
  const isOpen = !staysOpen && findOperation(call) !== undefined;
  return isOpen
    ? { outcome: "stopped", changed, conflicts: [] }
    : { outcome: "done", changed, commit, conflicts: [] };
}

export function isAboutNothing({ stderr, stdout }: ChildResult): boolean {
  const said = `${stderr}${stdout.toString()}`;
  return /empty(?! commit message)/i.test(said) || NOTHING_TO_COMMIT.test(said);
}

const sort = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted();

/** Longer sequences are not predicted. */
const MOST_STEPS = 100;

/** If conflicts cannot be predicted, `changed` lists the files that the other side changes. */
export async function predictOutcome(
  call: RepositoryCall,
  predict: () => Promise<Prediction>,
  {
    before,
    brought,
    commits = 0,
    keepsStaged = false,
  }: {
    readonly before: string;
    readonly brought: readonly string[];
    readonly commits?: number;
    /** Whether staged changes may remain. */
    readonly keepsStaged?: boolean;
  },
): Promise<Integrated> {
  const requireRoom = (files: readonly string[]): Promise<void> => {
    const written = new Set(files);
    // Git writes a file that was deleted here, as there is nothing in it to lose.
    return requireCommitted(call, (file, isStaged, isGone) =>
      isStaged ? !keepsStaged : !isGone && written.has(file),
    );
  };
  if (commits > MOST_STEPS || !(await canPredict(call))) {
    await requireRoom(brought);
    return { outcome: "done", changed: sort(brought), conflicts: [], predicted: false };
  }
  const { tree, conflicts } = await predict();
  const changed = sort([...(await listDifferences(call, before, tree)), ...conflicts]);
  await requireRoom(changed);
  // What is new in a directory may have to follow it to another name.
  await requireNothingInTheWay(call, await listMissing(call, tree));
  return {
    outcome: conflicts.length > 0 ? "stopped" : "done",
    changed,
    conflicts: conflicts.map((path) => ({ path, kind: "predicted" })),
    predicted: true,
  };
}
