import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Asked } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { splitRecords, toFileName } from "../names.ts";
import { findCommit } from "../reading/history.ts";
import {
  findOperation,
  namesOf,
  type OperationInProgress,
  readState,
  readStatus,
  type Status,
} from "../reading/status.ts";
import { parseConfig } from "../repository/config-file.ts";
import { findEntry, readStart } from "../repository/small-file.ts";
import type { RepositoryChange } from "./changes.ts";
import { toConclusion } from "./commit.ts";
import {
  listApplied,
  listMissing,
  refuseUnresolved,
  requireNothingInTheWay,
  requireSwitchable,
} from "./in-the-way.ts";
import { keepingMessage } from "./kept-message.ts";
import { type Integrated, isAboutNothing, runToOutcome } from "./outcome.ts";
import { canPredict, listDifferences, predictMerge, predictSequence } from "./prediction.ts";
import { listHidden } from "./snapshot.ts";
import { readSteps, TODO, VERBS } from "./steps.ts";

export const ENDING = { action: v.picklist(["continue", "abort", "skip"]) };

type Ending = Asked<typeof ENDING>["action"];

/** Continues or aborts a stopped operation, or skips its current step. */
export async function endOperation(
  call: RepositoryCall,
  change: RepositoryChange,
  { action: ending, dry_run: dryRun }: Asked<typeof ENDING>,
): Promise<Integrated & { readonly operation: OperationInProgress }> {
  const operation = findOperation(call);
  if (operation === undefined) throw new Fault("precondition_failed", "No operation is in progress");
  if (!call.git.isTrusting) requireHarmless(call, ending);
  const isUnknown = operation === "merge" ? ending === "skip" : operation === "bisect" && ending !== "abort";
  if (isUnknown) {
    throw new Fault("unsupported", `\`${ending}\` is not available for git ${operation}`, {
      hint: "Action abort ends it.",
    });
  }
  const status = await readStatus(call, { submodules: "unstaged" });
  if (ending !== "continue") await requireNothingLost(call, operation, status);
  else if (status.conflicts.length > 0) throw refuseUnresolved(status.conflicts);
  else if (operation === "rebase") await requireStaged(call);
  const changed = [...namesOf(status.staged), ...status.conflicts.map(({ path }) => path)];
  const { commit: before } = await findCommit(call, "HEAD");
  if (ending === "continue") requireBegun(call, operation, before);
  if (operation === "bisect") await requireSwitchable(call, await findBisected(call));
  else await requireNothingInTheWay(call, await listWritten(call, operation, ending));
  if (dryRun) return { operation, outcome: "done", changed, conflicts: [] };
  const summary = `${ending} ${operation}`;
  // Only a merge can be resumed.
  const conclusion =
    operation === "merge"
      ? toConclusion(call, operation)
      : { irreversible: `It went on with a ${operation}, or ended it, which cannot be resumed.` };
  await change.begin({ tool: "git_continue_or_abort", summary, worktree: ending === "abort", ...conclusion });
  const end = (settings: readonly string[]): Promise<Integrated> =>
    runToOutcome(call, change, toCommand(operation, ending, settings), {
      before,
      toFault: async (result) =>
        isAboutNothing(result)
          ? new Fault("conflict", "What is left of this commit changes nothing", {
              hint: "Leave it out with action skip.",
            })
          : undefined,
    });
  const ended = await (ending === "continue" ? keepingMessage(call, operation, end) : end([]));
  return { operation, ...ended, changed: [...new Set([...ended.changed, ...changed])] };
}

function toCommand(
  operation: OperationInProgress,
  ending: Ending,
  settings: readonly string[],
): readonly string[] {
  if (operation === "bisect") return ["bisect", "reset"];
  // Without --edit, git would strip comments whatever the settings say.
  const edits = settings.length > 0 && operation === "cherry-pick";
  return [...settings, operation, `--${ending}`, ...(edits ? ["--edit"] : [])];
}

/** Names of git's built-in merge strategy. */
const OWN_STRATEGIES: ReadonlySet<string> = new Set(["", "ort", "recursive"]);

/**
 * The state of an operation may come from an untrusted repository: its list of steps can name programs, and so can
 * its strategy; other files of it hold options.
 */
function requireHarmless(call: RepositoryCall, ending: Ending): void {
  const { git } = call;
  const read = (name: string): string => readState(call, name);
  if (read("BISECT_START").startsWith("-"))
    throw refuseState(
      "This bisect began on a name that git would take for an option",
      "End it outside of this server.",
    );
  if (ending === "abort") return;
  const steps = [TODO, "sequencer/todo"].flatMap((name) => readSteps(call, name));
  const strange = steps.find(({ verb }) => !VERBS.has(verb));
  if (strange !== undefined)
    throw refuseState(`A step of this operation is ${JSON.stringify(strange.verb)}, which may run a program`);
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
  // If the operator allows signing, with the operator's own key only.
  if (signing.some((option) => option !== "" && !(git.isSigning && option === "-S")))
    throw refuseState("This operation would sign its commits");
  // One option makes git write a file at any path.
  if (read("rebase-apply/apply-opt").trim() !== "")
    throw refuseState("This operation has options for git apply");
}

const refuseState = (why: string, hint = "Use action abort, or finish it outside of this server."): Fault =>
  new Fault("permission_denied", why, { hint });

/** The ref to the commit at which an operation has stopped. */
const APPLIED: { readonly [Name in OperationInProgress]?: string } = {
  merge: "MERGE_HEAD",
  rebase: "REBASE_HEAD",
  "cherry-pick": "CHERRY_PICK_HEAD",
  revert: "REVERT_HEAD",
};

/** On continue, git assumes that the commit it stopped at is applied, even if it could not begin with it. */
function requireBegun(call: RepositoryCall, operation: OperationInProgress, head: string): void {
  if (existsSync(join(call.repository.gitDir, APPLIED[operation] ?? ""))) return;
  // HEAD differs if the commit was made by hand.
  if (readState(call, "sequencer/abort-safety").trim() !== head) return;
  throw new Fault("conflict", `Git could not begin with the next commit of the ${operation}`, {
    hint: "Use action abort and start again, or leave that commit out with action skip.",
  });
}

/** Git would ask to resolve conflicts, of which there are none. */
async function requireStaged(call: RepositoryCall): Promise<void> {
  const [first] = (await readStatus(call, { submodules: "all" })).unstaged;
  if (first === undefined) return;
  const such = `such as those of ${JSON.stringify(first.path)}`;
  throw new Fault("precondition_failed", `A rebase does not go on with unstaged changes, ${such}`, {
    hint: "Stage with git_add what belongs to the commit. Put the rest aside with git_stash and keep_index, or discard it with git_restore.",
  });
}

/** Git discards staged changes, including the user's own, and for a rebase or am also unstaged ones. No backup is kept. */
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
      hint: "To discard them, call git_restore with staged and worktree.",
      details: { files: files.slice(0, 20) },
    },
  );
}

/** Like git, prefers a branch if there is one of that name. */
async function findBisected(call: RepositoryCall): Promise<string> {
  const start = readState(call, "BISECT_START", "utf8").trim();
  const branch = `refs/heads/${start}`;
  const isBranch = await call.asks(["show-ref", "--verify", "--quiet", branch]);
  return (await findCommit(call, isBranch ? branch : start)).commit;
}

/** The files that git writes: those of the commit that it returns to, and those of the remaining steps. */
async function listWritten(
  call: RepositoryCall,
  operation: OperationInProgress,
  ending: Ending,
): Promise<readonly string[]> {
  if (ending === "abort") return listMissing(call, await findStart(call, operation));
  const back = ending === "skip" ? await listMissing(call, "HEAD") : [];
  const applied = await listApplied(call, await listLeft(call), operation === "revert" ? "a" : "d");
  return [...back, ...applied, ...(await listReached(call)), ...(await listPatched(call, operation))];
}

/** Files of the commits that the remaining `reset` and `merge` steps of a rebase name. */
async function listReached(call: RepositoryCall): Promise<readonly string[]> {
  const names = new Set(readSteps(call, TODO).flatMap(({ places }) => places));
  // Like git, looks for a label first, then for a revision. Labels that are not created yet are neither.
  const input = [...names].map((name) => `refs/rewritten/${name}^{commit}\n${name}^{commit}\n`).join("");
  if (input === "") return [];
  const found = await call.lines(["cat-file", "--batch-check=%(objectname)"], {
    input: Buffer.from(input, "latin1"),
  });
  const isId = (line: string | undefined): line is string => /^[0-9a-f]{40,64}$/.test(line ?? "");
  const commits = [...names].flatMap((_, at) => found.slice(2 * at, 2 * at + 2).find(isId) ?? []);
  const files: (readonly string[])[] = [];
  for (const commit of new Set(commits)) files.push(await listMissing(call, commit));
  return files.flat();
}

/** Files of the patches after the one at which the operation has stopped. */
async function listPatched(call: RepositoryCall, operation: OperationInProgress): Promise<readonly string[]> {
  const folder = join(call.repository.gitDir, "rebase-apply");
  if (!findEntry(folder)?.isDirectory()) return [];
  const current = Number(readState(call, "rebase-apply/next"));
  const left = readdirSync(folder).filter((name) => /^\d{4,}$/.test(name) && Number(name) > current);
  const patches = left.map((name) => call.guard.locateExact(join(folder, name)));
  if (operation !== "am") {
    const starts = patches.map((patch) => readStart(call.guard, patch, 80).toString("latin1"));
    return listApplied(
      call,
      starts.flatMap((start) => /^From ([0-9a-f]{40,64}) /.exec(start)?.[1] ?? []),
    );
  }
  return listMailed(call, patches);
}

const MOST_MAILS = 100;

/** Git lists nothing if it cannot read one of the mails; each half is tried then. Files of encoded mails are not found. */
async function listMailed(call: RepositoryCall, mails: readonly string[]): Promise<readonly string[]> {
  if (mails.length > 0 && mails.length <= MOST_MAILS) {
    const { stdout, code } = await call.run(["apply", "--numstat", "-z", ...mails], { accept: [1, 128] });
    if (code === 0)
      return splitRecords(stdout).map((record) =>
        toFileName(record.subarray(record.indexOf(9, record.indexOf(9) + 1) + 1)),
      );
  }
  if (mails.length < 2) return [];
  const middle = Math.ceil(mails.length / 2);
  const first = await listMailed(call, mails.slice(0, middle));
  return [...first, ...(await listMailed(call, mails.slice(middle)))];
}

/** The commit that an abort returns to. */
async function findStart(call: RepositoryCall, operation: OperationInProgress): Promise<string> {
  const names = ["rebase-merge/orig-head", "rebase-apply/orig-head", "sequencer/head"];
  const start =
    operation === "am" ? "ORIG_HEAD" : names.map((name) => readState(call, name).trim()).find(Boolean);
  return (await findCommit(call, start ?? "HEAD")).commit;
}

/** The commits that are still to be applied, each with its parent. */
async function listLeft(call: RepositoryCall): Promise<readonly string[]> {
  // In sequencer/todo, the first step is the one at which git has stopped.
  const steps = [...readSteps(call, TODO), ...readSteps(call, "sequencer/todo").slice(1)];
  const ids = steps.map(({ commit = "" }) => commit).filter((commit) => /^[0-9a-f]{4,64}$/.test(commit));
  if (ids.length === 0) return [];
  const found = await call.lines(["rev-list", "--no-walk", "--parents", "--stdin"], {
    input: ids.join("\n"),
  });
  return found.map((line) => line.split(" ", 2).join(" "));
}

/** Files that the operation itself has touched, including those renamed on the current branch. */
async function listOwn(call: RepositoryCall, operation: OperationInProgress): Promise<ReadonlySet<string>> {
  const name = APPLIED[operation];
  // A merge may be of several.
  const heads = name === undefined ? [] : (readState(call, name).match(/^[0-9a-f]{40,64}$/gm) ?? []);
  const files: (readonly string[])[] = [];
  for (const head of heads) files.push(await listBrought(call, operation, head));
  return new Set(files.flat());
}

async function listBrought(
  call: RepositoryCall,
  operation: OperationInProgress,
  head: string,
): Promise<readonly string[]> {
  const { commit, parents } = await findCommit(call, head);
  const base = (await call.text(["merge-base", "HEAD", commit], { accept: [1] })).trim();
  const since = operation === "merge" ? [base] : parents;
  const steps = since.length === 0 ? [commit] : since.map((parent) => `${commit} ${parent}`);
  const touched = await listApplied(call, steps, "");
  if (!(await canPredict(call))) return touched;
  const { tree, conflicts } =
    operation === "merge"
      ? await predictMerge(call, "HEAD", commit)
      : await predictSequence(call, "HEAD", [`${commit} ${parents[0] ?? ""}`], {
          isReversed: operation === "revert",
        });
  return [...touched, ...conflicts, ...(await listDifferences(call, "HEAD", tree))];
}
