import { toFileName } from "../names.ts";
import { splitRecords } from "../reading/records.ts";
import type { ChangeContext } from "./changes.ts";

/** What a merge of two sides would give, without a work tree. */
export interface Prediction {
  readonly tree: string;
  /** Files that both sides have changed in ways that do not go together. */
  readonly conflicts: readonly string[];
}

/** Three trees, as commits or trees: what `theirs` has changed since `base` is added to `ours`. */
export interface ThreeWays {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** `git merge-tree` can merge without a work tree since this version. */
export const canPredict = ({ git, signal }: ChangeContext): Promise<boolean> => git.isAtLeast(2, 38, signal);

/** With the base that git itself finds. */
export async function predictMerge(
  context: ChangeContext,
  ours: string,
  theirs: string,
): Promise<Prediction> {
  const { git, repository, signal } = context;
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const options = { signal, writes: true, accept: [1], maxOutputBytes: MOST_BYTES };
  const [tree, ...files] = splitRecords((await git.run(repository, args, options)).stdout);
  const names = files.filter((name) => name.length > 0).map(toFileName);
  return { tree: tree?.toString() ?? "", conflicts: [...new Set(names)] };
}

/** With a base of our own: two commits that have nothing in common but that. */
export async function predictThreeWays(
  context: ChangeContext,
  { base, ours, theirs }: ThreeWays,
): Promise<Prediction> {
  const start = await createCommit(context, base, []);
  return predictMerge(
    context,
    await createCommit(context, ours, [start]),
    await createCommit(context, theirs, [start]),
  );
}

/** Nobody ever sees these: whoever made them does not matter. */
const NOBODY = ["-c", "user.name=prediction", "-c", "user.email=prediction@localhost"];

async function createCommit(
  { git, repository, signal }: ChangeContext,
  tree: string,
  parents: readonly string[],
): Promise<string> {
  const args = [...NOBODY, "commit-tree", "-m", "-", ...parents.flatMap((parent) => ["-p", parent])];
  return (await git.text(repository, [...args, `${tree}^{tree}`], { signal, writes: true })).trim();
}

/** Of a commit without parents: it has changed everything since nothing. */
export async function parentOrNothing(
  { git, repository, signal }: ChangeContext,
  parents: readonly string[],
  mainline = 1,
): Promise<string> {
  const parent = parents[mainline - 1];
  if (parent !== undefined) return parent;
  return (await git.text(repository, ["mktree"], { signal, writes: true, input: "" })).trim();
}

/** Files that are different in two trees. */
export async function listDifferences(
  { git, repository, signal }: ChangeContext,
  from: string,
  to: string,
  flags: readonly string[] = [],
): Promise<readonly string[]> {
  const names = ["-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"];
  const args = ["diff-tree", ...names, ...flags, from, to, "--"];
  const { stdout } = await git.run(repository, args, { signal, maxOutputBytes: MOST_BYTES });
  return splitRecords(stdout).map(toFileName);
}
