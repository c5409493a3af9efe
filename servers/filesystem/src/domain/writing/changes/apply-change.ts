import {
  Fault,
  fitItems,
  quotePath,
  toFault,
  type PathGuard,
  type StopSignal,
} from "@suite/server-kit/domain";
import { carryOut, isFull, StalePlan } from "./carry-out.ts";
import type { JournalState } from "./journal.ts";
import { type ChangePlan, homePathOf, pathsOf } from "./change-plan.ts";
import { keepChange } from "./retention.ts";
import { homeOf } from "./trash.ts";

/** What is the same in the result of everything that changes files. */
export interface Applied {
  /** The first of them. */
  readonly changed: string[];
  readonly changed_total?: number;
  /** For the tool of that name. */
  readonly undo?: string;
}

export interface Proposal<T> {
  /** Nothing, if everything is already as it should be. */
  readonly plan?: ChangePlan | undefined;
  /** What to say about it, once it is done or is not going to be. */
  readonly describe: (isDone: boolean) => T;
}

export interface ChangeRequest {
  readonly journal: JournalState;
  readonly guard: PathGuard;
  readonly signal: StopSignal;
  readonly isDryRun?: boolean | undefined;
  /** Who asks, where callers are known by name. */
  readonly principal?: string | undefined;
}

/** Others keep changing the same thing: somebody must give up. */
const MOST_ATTEMPTS = 200;
/** In a result: more paths say nothing new, and a few of them may be very long. */
const MOST_NAMED = 100;
const MOST_CHARACTERS = 10_000;

/**
 * Looks, plans, and does it, one call at a time for each of the paths. Where another process was faster, it looks again:
 * what was decided on the old state never lands on the new one.
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
      const changed = nameFirst(request.guard, touched);
      const changes = {
        changed,
        ...(touched.length > changed.length && { changed_total: touched.length }),
      };
      if (!plan || request.isDryRun) return { ...proposal.describe(false), ...changes };
      try {
        const undo = await carryOutOnce(plan, request);
        return { ...proposal.describe(true), ...changes, ...(undo !== undefined && { undo }) };
      } catch (error) {
        if (!(error instanceof StalePlan)) throw toChangeFault(error, quotePath(pathsOf(plan)[0] ?? ""));
        if (attempt >= MOST_ATTEMPTS) throw toBusy(changes.changed[0] ?? "", error);
      }
    }
  });
}

/** The first path in any case. */
export function nameFirst(
  guard: PathGuard,
  paths: readonly string[],
  { most = MOST_NAMED, characters = MOST_CHARACTERS }: { most?: number; characters?: number } = {},
): string[] {
  const named = paths.slice(0, most).map((path) => guard.display(path));
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
  const isForgotten = plan.isForgotten === true || !journal.options.keep;
  const context = { id, root, guard, signal, principal, owner: await journal.owner() };
  const bytes = await carryOut({ ...plan, isForgotten }, context);
  if (isForgotten) return undefined;
  // The change is done; that old ones could not be removed now is no reason to call it failed.
  await keepChange(journal, guard, { root, id, bytes }).catch(() => undefined);
  return id;
}

function toChangeFault(error: unknown, name: string): Fault {
  const fault = toFault(error, name);
  if (!isFull(error)) return fault;
  const hint = "Free some space first: delete_file with permanent works on a full disk, too.";
  return new Fault(fault.code, fault.message, { retryable: false, hint, cause: error });
}

const toBusy = (path: string, cause: unknown): Fault =>
  new Fault("conflict", `${path} is being changed by others all the time`, {
    hint: "Look at it again, then retry.",
    retryable: true,
    cause,
  });
