import { renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { ChangeRecord, RecordedDrop, RecordedOperation } from "./change-record.ts";
import { JournalEntry } from "./journal-entry.ts";
import { statsOf } from "./identity.ts";
import { operationTypeOf } from "./operations/operation-types.ts";
import { removeWhatGoes } from "./remove-tree.ts";
import type { OpenChange } from "./open-change.ts";

export type Draft = Omit<ChangeRecord, "proof">;

/**
 * Takes back whatever of a change has happened. Where something else has come in between, that stays. Returns whether
 * nothing of the change does. Others must be locked out meanwhile.
 */
export async function takeBackAll(
  { operations }: Draft,
  change: OpenChange,
  isCommitted: boolean,
): Promise<boolean> {
  let isClean = true;
  for (const operation of operations.toReversed()) {
    isClean = (await takeBack(operation, change, isCommitted)) && isClean;
  }
  return isClean || !isCommitted;
}

async function takeBack(
  operation: RecordedOperation,
  change: OpenChange,
  isCommitted: boolean,
): Promise<boolean> {
  const type = operationTypeOf(operation);
  try {
    if (isCommitted && type.isDone(operation, change)) return await type.revert(operation, change);
    await type.abandon(operation, change, isCommitted);
    return true;
  } catch {
    // Its directory is gone, or closed to us by now: the rest is still to be taken back.
    return false;
  }
}

/**
 * The last steps, once the locks are gone: these lie in the directories that are to be removed. The record goes last of
 * all, or becomes one of a change that is done, so that whatever is left undone here is found again.
 */
export async function concludeDone(record: Draft, change: OpenChange): Promise<LeftEntry[]> {
  const left: LeftEntry[] = [];
  for (const operation of record.operations) {
    if (operation.kind === "drop") left.push(...(await removeDropped(operation, change)));
  }
  for (const path of record.unmade) removeIfEmpty(path, change);
  await removeUndone(record, change);
  if (record.isForgotten) await change.entry.remove();
  else change.entry.conclude();
  return left;
}

/** Something that was to be removed for good, and is still there. */
export interface LeftEntry {
  readonly path: string;
  readonly error: unknown;
}

/** What cannot be removed gets its own name back, if that is free: nobody would find it under ours. */
async function removeDropped(operation: RecordedDrop, change: OpenChange): Promise<LeftEntry[]> {
  const at = change.temporary(operation);
  const left = await removeWhatGoes(at);
  if (left.length === 0) return [];
  const target = change.target(operation.path);
  const isFree = statsOf(target.at) === undefined;
  if (isFree) renameSync(at, target.at);
  const path = isFree ? target.path : join(target.directory.path, operation.temporary);
  return left.map(({ below, error }) => ({ path: join(path, below), error }));
}

/** What could not be taken back whole stays in the list, with all that was kept: nothing is lost by it. */
export async function concludeTakenBack(record: Draft, change: OpenChange, isClean: boolean): Promise<void> {
  for (const path of record.made.toReversed()) removeIfEmpty(path, change);
  if (isClean) {
    await change.entry.remove();
    return;
  }
  // What it was to undo is still to be undone.
  const { undoes: _, ...rest } = record;
  change.entry.commit({ ...rest, unmade: [], isPartial: true });
  change.entry.finish();
  change.entry.conclude();
}

/** What was undone is not undone again: its target in the list is taken by the undoing, which can be. */
async function removeUndone({ undoes }: Draft, { trash }: OpenChange): Promise<void> {
  if (undoes === undefined || !statsOf(trash.folder.at(undoes))) return;
  const undone = new JournalEntry(trash, undoes);
  try {
    await undone.remove();
  } finally {
    undone.close();
  }
}

function removeIfEmpty(path: string, change: OpenChange): void {
  try {
    rmdirSync(change.target(path).at);
  } catch {
    // Somebody uses it by now, or never made it.
  }
}
