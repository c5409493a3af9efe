import { type PathGuard, type StopSignal, TimeSlices } from "@suite/server-kit/domain";
import { attempt } from "../../attempt.ts";
import { closing } from "../../closing.ts";
import type { ChangeJournal } from "./journal.ts";
import { pathsIn } from "./change-plan.ts";
import type { ChangeRecord } from "./change-record.ts";
import { type FoundRecord, JournalEntry } from "./journal-entry.ts";
import { lockTargets, removeBreakers, takeLock, type Taker } from "./lock-file.ts";
import { operationTypeOf } from "./operations/operation-types.ts";
import { isAbandonedBy, type ProcessMark } from "./process-mark.ts";
import { forgetOldest } from "./retention.ts";
import { OpenChange } from "./open-change.ts";
import { concludeDone, concludeTakenBack, takeBackAll } from "./conclude-change.ts";
import { changeIds, openTrash, type Trash } from "./trash.ts";

/** The ids of interrupted changes, by outcome. */
export interface Recovery {
  readonly finished: string[];
  readonly takenBack: string[];
  /** Files had changed since: a part of the change remains, and the old content is kept. */
  readonly partial: string[];
}

/** Finishes or rolls back changes of processes that were killed, and removes their leftovers. Called once after the start. */
export async function recover(
  journal: ChangeJournal,
  guard: PathGuard,
  signal: StopSignal,
): Promise<Recovery> {
  const recovery: Recovery = { finished: [], takenBack: [], partial: [] };
  const slices = new TimeSlices(signal);
  const owner = await journal.owner();
  for (const root of guard.roots) {
    const trash = attempt(() => openTrash(guard, root));
    if (!trash) continue;
    await closing(trash.folder, async () => {
      for (const id of changeIds(trash)) {
        await slices.look();
        // One that cannot be recovered, or is gone, must not prevent recovery of the others.
        await recoverOne({ trash, id, guard, owner, signal }, recovery).catch(() => undefined);
      }
    });
    await forgetOldest(journal, guard, root).catch(() => undefined);
  }
  return recovery;
}

interface Case {
  readonly trash: Trash;
  readonly id: string;
  readonly guard: PathGuard;
  readonly owner: ProcessMark;
  readonly signal: StopSignal;
}

const recoverOne = async (one: Case, recovery: Recovery): Promise<void> =>
  closing(new JournalEntry(one.trash, one.id), (entry) =>
    closing(new OpenChange(one.guard, one.trash, entry), (change) => recoverOpen(change, one, recovery)),
  );

async function recoverOpen(
  change: OpenChange,
  { id, owner, signal }: Case,
  recovery: Recovery,
): Promise<void> {
  if (!findAbandoned(change, owner)) return;
  // Several servers may start and recover at the same time.
  const path = change.entry.folder.at("recovery.lock.suite-tmp");
  const release = await takeLock({ path, about: id, owner, signal });
  try {
    const found = findAbandoned(change, owner);
    if (found) recovery[await recoverIn(change, found, { owner, signal })].push(id);
  } finally {
    release();
  }
}

/** The record of this change, if it is not concluded and its process has ended. */
function findAbandoned({ entry }: OpenChange, own: ProcessMark): FoundRecord | undefined {
  const found = entry.isConcluded ? undefined : entry.read();
  if (!found) return undefined;
  const age = Date.now() - Number(entry.folder.stats().mtimeMs);
  return isAbandonedBy(found.record.owner, own, age) ? found : undefined;
}

async function recoverIn(
  change: OpenChange,
  { record, phase }: FoundRecord,
  who: Taker,
): Promise<keyof Recovery> {
  const targets = pathsIn(record.operations).filter((path) => isReachable(change, path));
  const release = await lockTargets(change, targets, who);
  let isDone = phase === "entry";
  let isClean = false;
  try {
    if (phase === "commit" && isAllDone(record, change)) {
      change.entry.finish();
      isDone = true;
    }
    if (phase === "commit" && !isDone) change.entry.turnBack();
    if (!isDone) isClean = await takeBackAll(record, change, phase !== "pending");
  } finally {
    release();
    removeBreakers(change, targets, who.owner);
  }
  if (isDone) await concludeDone(record, change);
  else await concludeTakenBack(record, change, isClean);
  if (isDone) return "finished";
  return isClean ? "takenBack" : "partial";
}

/** A target whose directory is gone or was never created needs no lock. */
const isReachable = (change: OpenChange, path: string): boolean =>
  attempt(() => change.target(path)) !== undefined;

const isAllDone = ({ operations }: ChangeRecord, change: OpenChange): boolean =>
  attempt(() => operations.every((operation) => operationTypeOf(operation).isDone(operation, change))) ??
  false;
