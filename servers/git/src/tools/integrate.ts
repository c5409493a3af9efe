import type { TextPart } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { endOperation, type Integrated, merge, pick, rebase } from "../domain/writing/integrate.ts";
import type { Change } from "../domain/writing/changes.ts";
import { withChange } from "../state.ts";
import { ConflictShape, RepoPath, Revision } from "./schemas.ts";
import { renderWritten, undoOf, WRITTEN } from "./write-result.ts";

/** Of everything that takes commits in, and may stop at conflicts. */
export const INTEGRATED = {
  outcome: v.picklist(["done", "up_to_date", "fast_forward", "stopped"]),
  commit: v.exactOptional(v.string()),
  commits: v.exactOptional(v.number()),
  conflicts: v.exactOptional(v.array(ConflictShape)),
  predicted: v.exactOptional(v.boolean()),
  ...WRITTEN,
};

type Shown<T extends Integrated> = Omit<T, "changed" | "conflicts"> & {
  changed: string[];
  conflicts?: { path: string; kind: string }[];
  undo_id?: string;
};

/** No conflicts are not worth a field. */
export const showIntegrated = <T extends Integrated>(done: T, change: Change): Shown<T> => {
  const { changed, conflicts, ...rest } = done;
  return {
    ...rest,
    changed: [...changed],
    ...(conflicts.length > 0 && { conflicts: [...conflicts] }),
    ...undoOf(change),
  };
};

interface Result {
  readonly outcome: Integrated["outcome"];
  readonly commit?: string;
  readonly conflicts?: readonly { readonly path: string }[];
  readonly predicted?: boolean;
  readonly changed: readonly string[];
  readonly undo_id?: string;
}

interface Input {
  readonly dry_run?: boolean | undefined;
}

export function renderIntegrated(result: Result, { dry_run: isDry }: Input, did = "Done"): TextPart[] {
  const { outcome, commit, conflicts = [], changed } = result;
  const files = countOf(changed.length, "file");
  if (outcome === "up_to_date") return ["Up to date: there is nothing to take in."];
  if (outcome === "stopped") {
    const stop = `${isDry ? "Would stop" : "Stopped"} at conflicts in ${countOf(conflicts.length, "file")}`;
    return renderWritten(stop, { ...result, changed: conflicts.map(({ path }) => path) });
  }
  if (isDry) return renderWritten(`No conflicts are expected; ${files} would change`, result);
  const where = commit === undefined ? "" : `, HEAD is at ${commit.slice(0, 10)}`;
  return renderWritten(`${outcome === "fast_forward" ? "Moved forward" : did}${where}, ${files}`, result);
}

export function noteOfConflicts(
  { outcome, predicted }: Result,
  { dry_run: isDry }: Input,
): string | undefined {
  if (predicted === false) return "This git cannot predict conflicts.";
  if (outcome !== "stopped" || isDry) return undefined;
  return "git_conflicts shows the conflicts and git_resolve_conflict resolves them; then git_continue_or_abort with action continue, or abort.";
}

export const gitMerge = defineTool({
  name: "git_merge",
  title: "Merge",
  description: "Merges a branch or commit into the current branch. A dry run predicts conflicts.",
  effects: "write",
  touches: "the repository and its work tree",
  group: "branches",
  aliases: { target: ["branch", "branch_name", "source"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      target: Revision,
      mode: v.optional(v.picklist(["auto", "no_ff", "ff_only", "squash"])),
      message: v.optional(v.string()),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object(INTEGRATED)),
  untrusted: ["changed", "conflicts[].path"],
  run: ({ repo_path: path, target, mode = "auto", message, dry_run: dryRun = false }, context) =>
    withChange(context, path, async (given, change) =>
      showIntegrated(await merge(given, change, { target, mode, message, dryRun }), change),
    ),
  text: (result, input) => renderIntegrated(result, input, "Merged"),
  note: (result, input) =>
    input.mode === "squash" && result.outcome === "done" && !input.dry_run
      ? "The changes are staged: commit them with git_commit."
      : noteOfConflicts(result, input),
});

export const gitRebase = defineTool({
  name: "git_rebase",
  title: "Rebase",
  description: "Puts the current branch's own commits on top of target. Rewrites them.",
  effects: "destructive",
  touches: "the repository and its work tree",
  group: "branches",
  aliases: { target: ["upstream", "branch", "branch_name"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      target: Revision,
      onto: v.optional(v.pipe(v.string(), v.description("Put them here instead"))),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object(INTEGRATED)),
  untrusted: ["changed", "conflicts[].path"],
  confirm: ({ target }) => `Rewrite the commits of this branch on top of ${target}?`,
  run: ({ repo_path: path, target, onto, dry_run: dryRun = false }, context) =>
    withChange(context, path, async (given, change) =>
      showIntegrated(await rebase(given, change, { target, onto, dryRun }), change),
    ),
  text: (result, input) =>
    renderIntegrated(result, input, `Rebased ${countOf(result.commits ?? 0, "commit")}`),
  note: noteOfConflicts,
});

const Picked = schema(
  v.strictObject({
    repo_path: RepoPath,
    revisions: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(100)),
    mainline: v.optional(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.description("Of a merge: which parent, from 1")),
    ),
    no_commit: v.optional(v.boolean()),
    dry_run: DryRun,
  }),
);

const definePick = (
  command: "cherry-pick" | "revert",
  facts: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly did: string;
  },
) =>
  defineTool({
    name: facts.name,
    title: facts.title,
    description: facts.description,
    effects: "write",
    touches: "the repository and its work tree",
    group: "branches",
    aliases: { revisions: ["commits"] },
    input: Picked,
    output: schema(v.object(INTEGRATED)),
    untrusted: ["changed", "conflicts[].path"],
    run: (
      { repo_path: path, revisions, mainline, no_commit: noCommit = false, dry_run: dryRun = false },
      context,
    ) =>
      withChange(context, path, async (given, change) =>
        showIntegrated(await pick(given, change, command, { revisions, mainline, noCommit, dryRun }), change),
      ),
    text: (result, input) => renderIntegrated(result, input, facts.did),
    note: noteOfConflicts,
  });

export const gitCherryPick = definePick("cherry-pick", {
  name: "git_cherry_pick",
  title: "Cherry-pick",
  description: "Applies what commits have changed to the current branch, in the given order.",
  did: "Applied",
});

export const gitRevert = definePick("revert", {
  name: "git_revert",
  title: "Revert",
  description: "Takes back what commits have changed, with new commits.",
  did: "Reverted",
});

export const gitContinueOrAbort = defineTool({
  name: "git_continue_or_abort",
  title: "Continue or abort",
  description: "Ends a merge, rebase, cherry-pick or revert that stopped at conflicts, or a bisect.",
  effects: "destructive",
  touches: "the repository and its work tree",
  group: "conflicts",
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      action: v.picklist(["continue", "abort", "skip"]),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object({ operation: v.string(), ...INTEGRATED })),
  untrusted: ["changed", "conflicts[].path"],
  confirm: ({ action }) => `${action} the operation in progress?`,
  run: ({ repo_path: path, action: ending, dry_run: dryRun = false }, context) =>
    withChange(context, path, async (given, change) =>
      showIntegrated(await endOperation(given, change, { ending, dryRun }), change),
    ),
  text: (result, input) => {
    const { action, dry_run: isDry } = input;
    const files = countOf(result.changed.length, "file");
    return isDry
      ? renderWritten(`Would ${action} the ${result.operation}, ${files}`, result)
      : renderIntegrated(result, input, action === "abort" ? `Gave up the ${result.operation}` : "Continued");
  },
  note: noteOfConflicts,
});
