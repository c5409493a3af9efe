import type { RepositoryCall } from "../git/repository-call.ts";
import { readNames, splitRecords, toFileName } from "../names.ts";

/** What a merge of two sides would give, without a work tree. */
export interface Prediction {
  readonly tree: string;
  /** Files with conflicting changes. */
  readonly conflicts: readonly string[];
  /** Whether a sequence would stop at a step that changes nothing. */
  readonly isNothing?: boolean;
}

/** `git merge-tree` can merge without a work tree since this version. */
export const canPredict = ({ git, signal }: RepositoryCall): Promise<boolean> => git.isAtLeast(2, 38, signal);

/** Uses the merge base that git finds. */
export async function predictMerge(call: RepositoryCall, ours: string, theirs: string): Promise<Prediction> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const options = { writes: true, accept: [1] };
  const [tree, ...files] = splitRecords((await call.run(args, options)).stdout);
  const names = files.filter((name) => name.length > 0).map(toFileName);
  return { tree: tree?.toString() ?? "", conflicts: [...new Set(names)] };
}

/**
 * Applies the changes from `base` to `theirs` to `ours`, each a commit or a tree. Temporary commits that have the base as
 * their only common ancestor make git use it.
 */
export async function predictThreeWays(
  call: RepositoryCall,
  { base, ours, theirs }: { readonly base: string; readonly ours: string; readonly theirs: string },
): Promise<Prediction> {
  const start = await createCommit(call, base, []);
  return predictMerge(
    call,
    await createCommit(call, ours, [start]),
    await createCommit(call, theirs, [start]),
  );
}

/** Author of temporary commits, which are never shown. */
const NOBODY = ["-c", "user.name=prediction", "-c", "user.email=prediction@localhost"];

async function createCommit(call: RepositoryCall, tree: string, parents: readonly string[]): Promise<string> {
  const args = [...NOBODY, "commit-tree", "-m", "-", ...parents.flatMap((parent) => ["-p", parent])];
  return (await call.text([...args, `${tree}^{tree}`], { writes: true })).trim();
}

/** Applies one step after the other, up to the first that would stop. Each is `commit parent`. */
export async function predictSequence(
  call: RepositoryCall,
  start: string,
  steps: readonly string[],
  { isReversed = false, stopsAtNothing = false } = {},
): Promise<Prediction> {
  let prediction: Prediction = { tree: await call.idOf(`${start}^{tree}`), conflicts: [] };
  for (const step of steps) {
    const [id = "", parent] = step.split(" ");
    // A commit without parents is compared with the empty tree.
    const since = parent || (await call.text(["mktree"], { writes: true, input: "" })).trim();
    const [base, theirs] = isReversed ? [id, since] : [since, id];
    const { tree: ours } = prediction;
    prediction = await predictThreeWays(call, { base, ours, theirs });
    if (prediction.conflicts.length > 0) return prediction;
    if (stopsAtNothing && prediction.tree === ours) return { ...prediction, isNothing: true };
  }
  return prediction;
}

/** Files that are different in two trees. */
export function listDifferences(call: RepositoryCall, from: string, to: string): Promise<readonly string[]> {
  const names = ["-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"];
  return readNames(call, ["diff-tree", ...names, from, to, "--"]);
}
