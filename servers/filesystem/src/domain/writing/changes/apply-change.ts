import {
  Fault,
  fitItems,
  quotePath,
  toFault,
  type PathGuard,
  type StopSignal,
  toPathText,
} from "@suite/server-kit/domain";
import { carryOut, isFull, StalePlan } from "./carry-out.ts";
import type { ChangeJournal } from "./journal.ts";
import { type ChangePlan, homePathOf, pathsOf } from "./change-plan.ts";
import { keepChange } from "./retention.ts";
import { homeOf } from "./trash.ts";

/** Common to the results of all tools that change files. */
export interface Applied {
  /** The first changed paths. */
  readonly changed: string[];
  readonly changed_total?: number;
  /** An id for the undo tool. */
  readonly undo?: string;
}

export interface Proposal<T> {
  /** undefined if there is nothing to change. */
  readonly plan?: ChangePlan | undefined;
  /** The result, once the change is done or turned out to be unnecessary or a dry run. */
  readonly describe: () => T;
}

export interface ChangeRequest {
  readonly journal: ChangeJournal;
  readonly guard: PathGuard;
  readonly signal: StopSignal;
  readonly isDryRun?: boolean | undefined;
  /** The caller, if callers are authenticated. */
  readonly principal?: string | undefined;
}

/** Other processes may keep changing the same file. */
const MOST_ATTEMPTS = 200;
/** Limits for `changed`: who wants all of many looks at the disk. A few paths may be very long. */
export const MOST_NAMED = 10;
const MOST_CHARACTERS = 10_000;

/**
 * Plans a change and carries it out, one call at a time for each path. If another process changed something in between, it
 * plans again: a plan is never applied to a state that it was not made for.
 */
export function applyChange<T extends object>(
  request: ChangeRequest,
  paths: readonly string[],
  propose: () => Proposal<T> | Promise<Proposal<T>>,
): Promise<T & Applied> {
  return request.journal.locks.run(paths, request.signal, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const proposal = await propose();
      const { plan } = proposal;
      const touched = plan ? pathsOf(plan) : [];
      const changed = nameFirst(touched);
      const changes = {
        changed,
        ...(touched.length > changed.length && { changed_total: touched.length }),
      };
      if (!plan || request.isDryRun) return { ...proposal.describe(), ...changes };
      try {
        const undo = await carryOutOnce(plan, request);
        return { ...proposal.describe(), ...changes, ...(undo !== undefined && { undo }) };
      } catch (error) {
        if (!(error instanceof StalePlan)) throw toChangeFault(error, quotePath(pathsOf(plan)[0] ?? ""));
        if (attempt >= MOST_ATTEMPTS) throw toBusy(changes.changed[0] ?? "", error);
      }
    }
  });
}

/** The first paths that fit, at least one. */
export function nameFirst(
  paths: readonly string[],
  { most = MOST_NAMED, characters = MOST_CHARACTERS }: { most?: number; characters?: number } = {},
): string[] {
  const named = paths.slice(0, most).map(toPathText);
  const { items } = fitItems(named, characters);
  return named.slice(0, Math.max(1, items.length));
}

/** Returns the id by which it can be undone. */
async function carryOutOnce(
  plan: ChangePlan,
  { journal, guard, signal, principal }: ChangeRequest,
): Promise<string | undefined> {
  const id = await journal.nextId();
  const root = plan.undoes?.root ?? homeOf(guard, homePathOf(plan));
  const isPermanent = !journal.options.keep;
  const context = { id, root, guard, signal, principal, isPermanent, owner: await journal.owner() };
  const bytes = await carryOut(plan, context);
  if (isPermanent) return undefined;
  // The change is done: failing to remove old ones is not an error.
  await keepChange(journal, guard, { root, id, bytes }).catch(() => undefined);
  return plan.cannotUndo === undefined ? id : undefined;
}

function toChangeFault(error: unknown, name: string): Fault {
  const fault = toFault(error, name);
  if (!isFull(error)) return fault;
  const hint = "Free some space first: delete_file with permanent also works on a full disk.";
  return new Fault(fault.code, fault.message, { retryable: false, hint, cause: error });
}

const toBusy = (path: string, cause: unknown): Fault =>
  new Fault("conflict", `${path} keeps changing; gave up after ${MOST_ATTEMPTS} attempts`, {
    hint: "Look at it again, then retry.",
    retryable: true,
    cause,
  });
