import type { TextPart } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { endOperation } from "../domain/writing/end-operation.ts";
import { merge, pick, rebase } from "../domain/writing/integrate.ts";
import type { Outcome } from "../domain/writing/outcome.ts";
import { withChange } from "../state.ts";
import { ALIASES, Revision } from "./schemas.ts";
import { CONFLICTS, countChanged, renderWritten, takes, tells } from "./write-result.ts";

/** Of everything that takes commits in, and may stop at conflicts. */
export const INTEGRATED = {
  outcome: v.picklist(["done", "up_to_date", "fast_forward", "stopped"]),
  commit: v.exactOptional(v.string()),
  commits: v.exactOptional(v.number()),
  predicted: v.exactOptional(v.boolean()),
  ...CONFLICTS,
};

interface Result {
  readonly outcome: Outcome;
  readonly commit?: string;
  readonly conflicts?: readonly { readonly path: string }[];
  readonly conflicts_total?: number;
  readonly predicted?: boolean;
  readonly changed: readonly string[];
  readonly changed_total?: number;
  readonly undo_id?: string;
}

interface Input {
  readonly dry_run?: boolean | undefined;
}

export function renderIntegrated(result: Result, { dry_run: isDry }: Input, did = "Done"): TextPart[] {
  const { outcome, commit, conflicts = [], conflicts_total: total = conflicts.length, predicted } = result;
  const files = countChanged(result);
  if (outcome === "up_to_date") return ["Up to date: there is nothing to take in."];
  if (outcome === "stopped") {
    const stop = `${isDry ? "Would stop" : "Stopped"} at conflicts in ${countOf(total, "file")}`;
    return renderWritten(stop, {
      ...result,
      changed: conflicts.map(({ path }) => path),
      changed_total: total,
    });
  }
  if (isDry) {
    const expected = predicted === false ? "" : "No conflicts are expected; ";
    return renderWritten(`${expected}${files} would change`, result);
  }
  const where = commit === undefined ? "" : `, HEAD is at ${commit.slice(0, 10)}`;
  return renderWritten(`${outcome === "fast_forward" ? "Moved forward" : did}${where}, ${files}`, result);
}

export function noteOfConflicts(
  { outcome, predicted }: Result,
  { dry_run: isDry }: Input,
): string | undefined {
  if (predicted === false) return "Conflicts were not predicted: there may be some.";
  if (outcome !== "stopped" || isDry) return undefined;
  return "git_conflicts shows the conflicts and git_resolve_conflict resolves them; then git_continue_or_abort with action continue, or abort.";
}

const INTEGRATES = {
  touches: "the repository and its work tree",
  group: "branches",
  version: 2,
  output: tells(INTEGRATED),
  untrusted: ["changed", "conflicts[].path"],
  note: noteOfConflicts,
};

export const gitMerge = defineTool({
  ...INTEGRATES,
  name: "git_merge",
  title: "Merge",
  description: "Merges a branch or commit into the current branch. A dry run predicts conflicts.",
  effects: "write",
  aliases: { target: [...ALIASES.revision, "branch_name", "source"] },
  instead: {
    no_ff: 'give mode: "no_ff".',
    ff_only: 'give mode: "ff_only".',
    squash: 'give mode: "squash".',
    abort: "use git_continue_or_abort.",
  },
  input: takes({
    target: Revision,
    mode: v.optional(v.picklist(["auto", "no_ff", "ff_only", "squash"])),
    message: v.optional(v.string()),
  }),
  run: ({ repo_path: path, target, mode = "auto", message, dry_run: dryRun = false }, context) =>
    withChange(context, path, (call, change) => merge(call, change, { target, mode, message, dryRun })),
  text: (result, input) => renderIntegrated(result, input, "Merged"),
  note: (result, input) =>
    input.mode === "squash" && result.outcome === "done" && !input.dry_run
      ? "The changes are staged: commit them with git_commit."
      : noteOfConflicts(result, input),
});

export const gitRebase = defineTool({
  ...INTEGRATES,
  name: "git_rebase",
  title: "Rebase",
  description: "Replays the current branch's own commits on top of target. Rewrites them.",
  effects: "destructive",
  aliases: { target: [...ALIASES.revision, "upstream", "branch_name"] },
  instead: {
    abort: "use git_continue_or_abort.",
    continue: "use git_continue_or_abort.",
    interactive: "leave it out: commits are replayed as they are.",
  },
  input: takes({
    target: Revision,
    onto: v.optional(v.pipe(v.string(), v.description("Put them here instead"))),
  }),
  confirm: ({ target }) => `Rewrite the commits of this branch on top of ${target}?`,
  run: ({ repo_path: path, target, onto, dry_run: dryRun = false }, context) =>
    withChange(context, path, (call, change) => rebase(call, change, { target, onto, dryRun })),
  text: (result, input) =>
    renderIntegrated(result, input, `Rebased ${countOf(result.commits ?? 0, "commit")}`),
});

const definePick = (
  command: "cherry-pick" | "revert",
  did: string,
  facts: { readonly name: string; readonly title: string; readonly description: string },
) =>
  defineTool({
    ...INTEGRATES,
    ...facts,
    effects: "write",
    aliases: { revisions: ["commits", ...ALIASES.revision] },
    input: takes({
      revisions: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(100)),
      mainline: v.optional(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.description("Of a merge: which parent, from 1")),
      ),
      no_commit: v.optional(v.boolean()),
    }),
    run({ repo_path: path, revisions, mainline, no_commit: noCommit = false, dry_run: isDry }, context) {
      const request = { revisions, mainline, noCommit, dryRun: isDry ?? false };
      return withChange(context, path, (call, change) => pick(call, change, command, request));
    },
    text: (result, input) => renderIntegrated(result, input, did),
  });

export const gitCherryPick = definePick("cherry-pick", "Applied", {
  name: "git_cherry_pick",
  title: "Cherry-pick",
  description: "Applies the changes of commits to the current branch, in the given order.",
});

export const gitRevert = definePick("revert", "Reverted", {
  name: "git_revert",
  title: "Revert",
  description: "Reverts the changes of commits with new commits.",
});

export const gitContinueOrAbort = defineTool({
  ...INTEGRATES,
  name: "git_continue_or_abort",
  title: "Continue or abort",
  description: "Ends a merge, rebase, cherry-pick or revert that stopped at conflicts, or a bisect.",
  effects: "destructive",
  group: "conflicts",
  input: takes({ action: v.picklist(["continue", "abort", "skip"]) }),
  output: tells({ operation: v.string(), ...INTEGRATED }),
  confirm: ({ action }) => `${action} the operation in progress?`,
  run: ({ repo_path: path, action: ending, dry_run: dryRun = false }, context) =>
    withChange(context, path, (call, change) => endOperation(call, change, { ending, dryRun })),
  text: (result, input) => {
    const { action, dry_run: isDry } = input;
    const { operation } = result;
    if (isDry) return renderWritten(`Would ${action} the ${operation}, ${countChanged(result)}`, result);
    return renderIntegrated(result, input, action === "abort" ? `Gave up the ${operation}` : "Continued");
  },
});
