import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../attempt.ts";
import type { Draft, Recorded, RecordedOperation } from "./change-record.ts";
import { removeChange } from "./journal-entry.ts";
import { statsOf } from "./identity.ts";
import { moveBack, operationTypeOf } from "./operations/operation-types.ts";
import { removeWhatGoes } from "./remove-tree.ts";
import type { OpenChange } from "./open-change.ts";

/**
 * Rolls back the operations of a change that have happened. Entries that were changed since are kept. Returns whether the
 * rollback is complete. The targets must be locked.
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
    await type.abandon?.(operation, change, isCommitted);
    return true;
  } catch {
    // Its directory is gone or not accessible: continue with the other operations.
    return false;
  }
}

/**
 * The last steps of a change. Runs after the locks are released: they lie in directories that may be removed here. The record
 * is removed or marked as concluded last: if something fails, recovery repeats it at the next start. Returns what should have
 * been deleted and was not.
 */
export async function concludeDone(record: Draft, change: OpenChange): Promise<LeftEntry[]> {
  const left: LeftEntry[] = [];
  for (const operation of record.operations) {
    if (operation.kind === "drop") left.push(...(await removeDropped(operation, change)));
  }
  for (const path of record.removed) removeIfEmpty(path, change);
  try {
    await removeUndone(record, change);
    if (record.isPermanent) await change.entry.remove();
    else change.entry.conclude();
  } catch {
    // The change is done and recorded: only cleaning up is not.
  }
  return left;
}

/** Something that should have been deleted permanently but still exists. */
export interface LeftEntry {
  readonly path: string;
  readonly error: unknown;
}

/** If something cannot be removed, restores its original name, if free: the caller does not know the temporary one. */
async function removeDropped(operation: Recorded<"drop">, change: OpenChange): Promise<LeftEntry[]> {
  const at = change.temporary(operation);
  const left = await removeWhatGoes(at);
  if (left.length === 0) return [];
  const target = change.target(operation.path);
  const isBack = attempt(() => moveBack(at, target)) === true;
  const path = isBack ? target.path : join(target.directory.path, operation.temporary);
  return left.map(({ below, error }) => ({ path: join(path, below), error }));
}

/** A change that could not be rolled back completely stays in the list with its kept files, so nothing is lost. */
export async function concludeTakenBack(record: Draft, change: OpenChange, isClean: boolean): Promise<void> {
  for (const path of record.made.toReversed()) removeIfEmpty(path, change);
  if (isClean) {
    await change.entry.remove();
    return;
  }
  // If this was an undo, it failed: the original change can still be undone.
  const { undoes: _, ...rest } = record;
  change.entry.commit({ ...rest, removed: [], isPartial: true });
  change.entry.finish();
  change.entry.conclude();
}

/** An undone change is replaced in the list by its undo, which can itself be undone. */
async function removeUndone({ undoes }: Draft, { trash }: OpenChange): Promise<void> {
  if (undoes === undefined || !statsOf(trash.folder.at(undoes))) return;
  await removeChange(trash, undoes);
}

function removeIfEmpty(path: string, change: OpenChange): void {
  try {
    rmdirSync(change.target(path).at);
  } catch {
    // It is not empty, or does not exist.
  }
}
