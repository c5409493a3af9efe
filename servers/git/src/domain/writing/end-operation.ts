import { existsSync } from "node:fs";
import { join } from "node:path";

import { countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { AskedToWrite } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { findCommit } from "../reading/history.ts";
import {
  findOperation,
  MOST_TODO,
  type OperationInProgress,
  readStatus,
  type Status,
} from "../reading/status.ts";
import { parseConfig } from "../repository/config-file.ts";
import { readSmallText } from "../repository/small-file.ts";
import type { RepositoryChange } from "./changes.ts";
import { refuseUnresolved } from "./conflicts.ts";
import { listApplied } from "./in-the-way.ts";
import { type Integrated, isAboutNothing, runToOutcome } from "./outcome.ts";
import { canPredict, listDifferences, predictMerge, predictSequence } from "./prediction.ts";
import { listHidden } from "./snapshot.ts";

export const ENDING = { action: v.picklist(["continue", "abort", "skip"]) };

type Ending = AskedToWrite<typeof ENDING>["action"];

/** Continues, leaves out a step of, or gives up what has stopped at conflicts. */
export async function endOperation(
  call: RepositoryCall,
  change: RepositoryChange,
  { action: ending, dry_run: dryRun }: AskedToWrite<typeof ENDING>,
): Promise<Integrated & { readonly operation: OperationInProgress }> {
  const operation = findOperation(call);
  if (operation === undefined) throw new Fault("precondition_failed", "No operation is in progress");
  if (!call.git.isTrusting) requireHarmless(call, ending);
  const isUnknown = operation === "merge" ? ending === "skip" : operation === "bisect" && ending !== "abort";
  if (isUnknown) throw new Fault("unsupported", `A ${operation} knows no ${ending}`);
  const status = await readStatus(call);
  if (ending !== "continue") await requireNothingLost(call, operation, status);
  else if (status.conflicts.length > 0) throw refuseUnresolved(status.conflicts);
  const changed = [...status.staged, ...status.conflicts].map(({ path }) => path);
  const { commit: before } = await findCommit(call, "HEAD");
  if (ending === "continue") requireBegun(call, operation, before);
  if (dryRun) return { operation, outcome: "done", changed, conflicts: [] };
  const summary = `${ending} ${operation}`;
  // What has ended cannot be brought back, so there is nothing to undo it by.
  await change.begin({ tool: "git_continue_or_abort", summary, keepsNoBackup: true });
  const args = operation === "bisect" ? ["bisect", "reset"] : [operation, `--${ending}`];
  const ended = await runToOutcome(call, change, args, {
    before,
    toFault: async (result) =>
      isAboutNothing(result)
        ? new Fault("conflict", "What is left of this commit changes nothing", {
            hint: "Leave it out with action skip.",
          })
        : undefined,
  });
  return { operation, ...ended, changed: [...new Set([...ended.changed, ...changed])] };
}

/** What git itself writes into the list of a rebase, and what none of them does is run a program. */
const STEPS: ReadonlySet<string> = new Set(
  "pick p reword r edit e squash s fixup f drop d break b label l reset t merge m noop update-ref u revert".split(
    " ",
  ),
);

/** What nothing but git's own merge is. */
const OWN_STRATEGIES: ReadonlySet<string> = new Set(["", "ort", "recursive"]);

/**
 * The state of an operation is part of the repository, whoever wrote it: its list of steps can name programs, and so can
 * its strategy; other files of it hold options.
 */
function requireHarmless({ git, guard, repository: { gitDir } }: RepositoryCall, ending: Ending): void {
  const read = (name: string): string => {
    const file = join(gitDir, name);
    return existsSync(file) ? readSmallText(guard, file, MOST_TODO) : "";
  };
  if (read("BISECT_START").startsWith("-"))
    throw refuseState(
      "This bisect began on what git would take for an option",
      "End it outside of this server.",
    );
  if (ending === "abort") return;
  const steps = ["rebase-merge/git-rebase-todo", "sequencer/todo"].flatMap((name) => read(name).split("\n"));
  const words = steps.map((line) => line.trim().split(/\s/, 1)[0] ?? "");
  const strange = words.find((word) => word !== "" && !word.startsWith("#") && !STEPS.has(word));
  if (strange !== undefined)
    throw refuseState(`A step of this operation is ${JSON.stringify(strange)}, which may run a program`);
  const options = parseConfig(read("sequencer/opts"));
  const valuesOf = (name: string): readonly string[] =>
    options.filter(({ key }) => key === name).map(({ value }) => value);
  const strategies = [read("rebase-merge/strategy").replace(/\r?\n$/, ""), ...valuesOf("strategy")];
  const foreign = strategies.find((strategy) => !OWN_STRATEGIES.has(strategy));
  if (foreign !== undefined)
    throw refuseState(`This operation uses the strategy ${JSON.stringify(foreign)}, which may be a program`);
  const signing = [
    ...["rebase-merge", "rebase-apply"].map((folder) => read(`${folder}/gpg_sign_opt`).trim()),
    ...valuesOf("gpg-sign").map((key) => `-S${key}`),
  ];
  // With a key of the operator's choice, where one is allowed.
  if (signing.some((option) => option !== "" && !(git.isSigning && option === "-S")))
    throw refuseState("This operation would sign its commits");
  // One of them has git write a file, wherever it says.
  if (read("rebase-apply/apply-opt").trim() !== "")
    throw refuseState("This operation has options for git apply");
}

const refuseState = (
  why: string,
  hint = "Give it up with action abort, or finish it outside of this server.",
): Fault => new Fault("permission_denied", why, { hint });

/** What is being applied while an operation has stopped. */
const APPLIED: { readonly [Name in OperationInProgress]?: string } = {
  merge: "MERGE_HEAD",
  rebase: "REBASE_HEAD",
  "cherry-pick": "CHERRY_PICK_HEAD",
  revert: "REVERT_HEAD",
};

/** Git takes the commit that it has stopped at for applied, also where it could not begin with it. */
function requireBegun(
  { guard, repository: { gitDir } }: RepositoryCall,
  operation: OperationInProgress,
  head: string,
): void {
  const safety = join(gitDir, "sequencer", "abort-safety");
  if (existsSync(join(gitDir, APPLIED[operation] ?? "")) || !existsSync(safety)) return;
  // Somebody has committed it since.
  if (readSmallText(guard, safety).trim() !== head) return;
  throw new Fault("conflict", `Git could not begin with the next commit of the ${operation}`, {
    hint: "Give it up with action abort and begin again, or leave that commit out with action skip.",
  });
}

/** Git resets what is staged, whoever staged it, and at the end of a rebase all the rest as well. Nothing keeps it. */
async function requireNothingLost(
  call: RepositoryCall,
  operation: OperationInProgress,
  status: Status,
): Promise<void> {
  if (operation === "bisect") return;
  const own = status.staged.length === 0 ? new Set<string>() : await listOwn(call, operation);
  const resetsAll = operation === "rebase" || operation === "am";
  const unstaged = resetsAll ? status.unstaged : [];
  const lost = [...unstaged, ...status.staged.filter(({ path }) => !own.has(path))].map(({ path }) => path);
  const files = [...new Set([...lost, ...(resetsAll ? await listHidden(call) : [])])];
  if (files.length === 0) return;
  throw new Fault(
    "conflict",
    `Changes that the ${operation} did not make would be lost in ${countOf(files.length, "file")}, such as ${JSON.stringify(files[0])}`,
    {
      hint: "git_restore with staged and worktree gives them up.",
      details: { files: files.slice(0, 20) },
    },
  );
}

/** Files that the operation itself has touched, also under the names that the current branch has for them. */
async function listOwn(call: RepositoryCall, operation: OperationInProgress): Promise<ReadonlySet<string>> {
  const name = APPLIED[operation] ?? "";
  const isThere = name !== "" && existsSync(join(call.repository.gitDir, name));
  if (!isThere) return new Set();
  const { commit, parents } = await findCommit(call, name);
  const base = (await call.text(["merge-base", "HEAD", commit], { accept: [1] })).trim();
  const since = operation === "merge" ? [base] : parents;
  const steps = since.length === 0 ? [commit] : since.map((parent) => `${commit} ${parent}`);
  const touched = await listApplied(call, steps, "");
  if (!(await canPredict(call))) return new Set(touched);
  const { tree, conflicts } =
    operation === "merge"
      ? await predictMerge(call, "HEAD", commit)
      : await predictSequence(call, "HEAD", [`${commit} ${parents[0] ?? ""}`], {
          isReversed: operation === "revert",
        });
  return new Set([...touched, ...conflicts, ...(await listDifferences(call, "HEAD", tree))]);
}
