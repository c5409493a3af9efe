import type { TextPart } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { Asked } from "../domain/fields.ts";
import { ENDING, endOperation } from "../domain/writing/end-operation.ts";
import { MERGE, merge, PICK, pick, REBASE, rebase } from "../domain/writing/integrate.ts";
import { INTEGRATED } from "../domain/writing/outcome.ts";
import { changing } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { CONFLICTS, countChanged, renderChange, takes, tells, type ShownChange } from "./change-result.ts";

export const TELLS_INTEGRATED = { ...INTEGRATED, ...CONFLICTS };

type Result = v.InferInput<v.ObjectSchema<typeof TELLS_INTEGRATED, undefined>> & ShownChange;

interface Input {
  readonly dry_run?: boolean | undefined;
}

export function renderIntegrated(result: Result, { dry_run: isDry }: Input, did = "Done"): TextPart[] {
  const { outcome, commit, conflicts = [], conflicts_total: total = conflicts.length, predicted } = result;
  const files = countChanged(result);
  if (outcome === "up_to_date") return ["Up to date: there is nothing to take in."];
  if (outcome === "stopped" && total === 0) return renderChange(`Stopped on the way, ${files}`, result);
  if (outcome === "stopped") {
    const stop = `${isDry ? "Would stop" : "Stopped"} at conflicts in ${countOf(total, "file")}`;
    return renderChange(stop, {
      ...result,
      changed: conflicts.map(({ path }) => path),
      changed_total: total,
    });
  }
  if (isDry) {
    const expected = predicted === false ? "" : "No conflicts are expected; ";
    return renderChange(`${expected}${files} would change`, result);
  }
  const where = commit === undefined ? "" : `, HEAD is at ${commit}`;
  return renderChange(`${outcome === "fast_forward" ? "Moved forward" : did}${where}, ${files}`, result);
}

export function noteOfConflicts(
  { outcome, conflicts = [], predicted }: Result,
  { dry_run: isDry }: Input,
): string | undefined {
  if (predicted === false) return "Conflicts were not predicted: there may be some.";
  if (outcome !== "stopped" || isDry) return undefined;
  if (conflicts.length === 0) return "It is not done: git_continue_or_abort with action continue, or abort.";
  return "git_conflicts shows the conflicts and git_resolve_conflict resolves them; then git_continue_or_abort with action continue, or abort.";
}

const INTEGRATES = {
  affects: "the repository and its work tree",
  group: "branches",
  version: 3,
  output: tells(TELLS_INTEGRATED),
  untrusted: ["changed", "conflicts"],
  note: noteOfConflicts,
};

export const gitMerge = defineTool({
  ...INTEGRATES,
  name: "git_merge",
  title: "Merge",
  description: "Merges a branch or commit into the current branch. A dry run predicts conflicts.",
  effects: "write",
  aliases: { target: [...ALIASES.revision, "branch_name", "source"] },
  argumentHints: {
    no_ff: 'give mode: "no_ff".',
    ff_only: 'give mode: "ff_only".',
    squash: 'give mode: "squash".',
    abort: "use git_continue_or_abort.",
  },
  input: takes(MERGE),
  run: changing((call, change, asked: Asked<typeof MERGE>) => merge(call, change, asked)),
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
  argumentHints: {
    abort: "use git_continue_or_abort.",
    continue: "use git_continue_or_abort.",
    interactive: "leave it out: commits are replayed as they are.",
  },
  input: takes(REBASE),
  confirm: ({ target }) => `Rewrite the commits of this branch on top of ${target}?`,
  run: changing((call, change, asked: Asked<typeof REBASE>) => rebase(call, change, asked)),
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
    input: takes(PICK),
    run: changing((call, change, asked: Asked<typeof PICK>) => pick(call, change, asked, command)),
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
  input: takes(ENDING),
  output: tells({ operation: v.string(), ...TELLS_INTEGRATED }),
  confirm: ({ action }) => `${action} the operation in progress?`,
  run: changing(endOperation),
  text: (result, input) => {
    const { action, dry_run: isDry } = input;
    const { operation } = result;
    if (isDry) return renderChange(`Would ${action} the ${operation}, ${countChanged(result)}`, result);
    return renderIntegrated(result, input, action === "abort" ? `Gave up the ${operation}` : "Continued");
  },
});
