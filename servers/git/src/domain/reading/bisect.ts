import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type FieldsOf, Paths, Revision } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { toReadPathspec, toRepositoryPath } from "../names.ts";
import { type Commit, findCommit } from "./history.ts";

export const BISECT = {
  bad: Revision,
  good: v.pipe(v.array(v.string()), v.minLength(1)),
  // Commits that cannot be judged.
  skip: v.optional(v.array(v.string())),
  // Only commits that change these.
  paths: Paths,
};

export interface Bisection {
  /** The commit to judge next; without one, the search is over. */
  readonly next?: Commit;
  /** How many commits the first bad one is among. */
  readonly left: number;
  /** The first bad one, or those that it is among if the others were skipped. */
  readonly found?: readonly Commit[];
}

const MOST_FOUND = 20;

/** Nothing is kept between calls: what is known is asked for, so that nothing has to be ended or undone. */
export async function bisect(call: RepositoryCall, asked: FieldsOf<typeof BISECT>): Promise<Bisection> {
  const { commit: bad } = await findCommit(call, asked.bad);
  const good = await toIds(call, asked.good);
  for (const [at, commit] of good.entries()) await requireBefore(call, commit, bad, asked.good[at] ?? "");
  const skipped = new Set(await toIds(call, asked.skip ?? []));
  const paths = (asked.paths ?? []).map((path) => toReadPathspec(toRepositoryPath(call.repository, path)));
  // The best to judge comes first. A distance follows each.
  const lines = await call.lines(["rev-list", "--bisect-all", bad, "--not", ...good, "--", ...paths]);
  const suspects = lines.map((line) => line.replace(/ .*$/s, ""));
  const left = suspects.includes(bad) ? suspects.length : suspects.length + 1;
  const next = suspects.find((commit) => commit !== bad && !skipped.has(commit));
  if (next !== undefined) return { next: await findCommit(call, next), left };
  const found = [bad, ...suspects.filter((commit) => commit !== bad)].slice(0, MOST_FOUND);
  return { left, found: await Promise.all(found.map((commit) => findCommit(call, commit))) };
}

async function toIds(call: RepositoryCall, revisions: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const revision of revisions) ids.push((await findCommit(call, revision)).commit);
  return ids;
}

/** Otherwise what is between them says nothing: the mistake may have been made before they parted. */
async function requireBefore(call: RepositoryCall, good: string, bad: string, name: string): Promise<void> {
  if (good === bad) throw new Fault("invalid_input", `${JSON.stringify(name)} is given as good and as bad`);
  if (await call.asks(["merge-base", "--is-ancestor", good, bad])) return;
  const base = (await call.text(["merge-base", good, bad], { accept: [1] })).trim();
  throw new Fault("precondition_failed", `${JSON.stringify(name)} is not an ancestor of the bad commit`, {
    hint:
      base === ""
        ? "They have no common history."
        : `They parted at ${base.slice(0, 10)}: judge that one, and give it as good or as bad.`,
  });
}
