import { type ChildResult, type Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { FieldsOf } from "../fields.ts";
import { NOTHING_TO_COMMIT, toGitFault } from "../git/failures.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { findCommit } from "../reading/history.ts";
import { type Conflict, findOperation, namesOf, readStatus } from "../reading/status.ts";
import type { RepositoryChange } from "./changes.ts";
import { requireCommitted } from "./in-the-way.ts";
import { canPredict, listDifferences, type Prediction } from "./prediction.ts";
import { findNestedOverrides } from "./submodules.ts";

/** Of everything that takes commits in, and may stop at conflicts, which must be resolved before it can be continued. */
export const INTEGRATED = {
  outcome: v.picklist(["done", "up_to_date", "fast_forward", "stopped"]),
  // HEAD, once it is done.
  commit: v.exactOptional(v.string()),
  // How many were or would be applied.
  commits: v.exactOptional(v.number()),
  // In a dry run: whether conflicts could be predicted.
  predicted: v.exactOptional(v.boolean()),
};

/** What taking commits in has led to, or would. */
export type Integrated = FieldsOf<typeof INTEGRATED> & {
  readonly changed: readonly string[];
  readonly conflicts: readonly Conflict[];
};

/** Git ends with 1 where it stops at conflicts, where it did nothing, and where nothing is left of a commit. */
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
    /** Whether it is for the caller to commit. */
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
  // As at a step of a rebase that asks for an edit.
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

/** More steps than this are not looked at one by one. */
const MOST_STEPS = 100;

/** Where conflicts cannot be predicted, what the other side brings is all that is known. */
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
    /** Whether what is staged may stay beside it. */
    readonly keepsStaged?: boolean;
  },
): Promise<Integrated> {
  const requireRoom = (files: readonly string[]): Promise<void> =>
    requireCommitted(call, (file, isStaged) => (isStaged ? !keepsStaged : files.includes(file)));
  if (commits > MOST_STEPS || !(await canPredict(call))) {
    await requireRoom(brought);
    return { outcome: "done", changed: sort(brought), conflicts: [], predicted: false };
  }
  const { tree, conflicts } = await predict();
  const changed = sort([...(await listDifferences(call, before, tree)), ...conflicts]);
  await requireRoom(changed);
  return {
    outcome: conflicts.length > 0 ? "stopped" : "done",
    changed,
    conflicts: conflicts.map((path) => ({ path, kind: "predicted" })),
    predicted: true,
  };
}
