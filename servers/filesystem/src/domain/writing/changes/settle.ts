import { renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { ChangeRecord, RecordedDrop, RecordedOperation } from "./change-record.ts";
import { Entry } from "./entry.ts";
import { statsOf } from "./identity.ts";
import { droppedAt } from "./operations/drop.ts";
import { handlingOf } from "./operations/handlings.ts";
import { removeWhatGoes } from "./remove-tree.ts";
import type { Scene } from "./scene.ts";

export type Draft = Omit<ChangeRecord, "proof">;

/**
 * Takes back whatever of a change has happened. Where something else has come in between, that stays. Returns whether
 * nothing of the change does. Others must be locked out meanwhile.
 */
export async function takeBackAll(
  { operations }: Draft,
  scene: Scene,
  isCommitted: boolean,
): Promise<boolean> {
  let isClean = true;
  for (const operation of operations.toReversed()) {
    isClean = (await takeBack(operation, scene, isCommitted)) && isClean;
  }
  return isClean || !isCommitted;
}

async function takeBack(operation: RecordedOperation, scene: Scene, isCommitted: boolean): Promise<boolean> {
  const handling = handlingOf(operation);
  try {
    if (isCommitted && handling.isDone(operation, scene)) return await handling.revert(operation, scene);
    await handling.abandon(operation, scene, isCommitted);
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
export async function concludeDone(record: Draft, scene: Scene): Promise<LeftEntry[]> {
  for (const path of record.unmade) removeIfEmpty(path, scene);
  const left: LeftEntry[] = [];
  for (const operation of record.operations) {
    if (operation.kind === "drop") left.push(...(await removeDropped(operation, scene)));
  }
  await removeUndone(record, scene);
  if (record.isForgotten) await scene.entry.remove();
  else scene.entry.conclude();
  return left;
}

/** Something that was to be removed for good, and is still there. */
export interface LeftEntry {
  readonly path: string;
  readonly error: unknown;
}

/** What cannot be removed gets its own name back, if that is free: nobody would find it under ours. */
async function removeDropped(operation: RecordedDrop, scene: Scene): Promise<LeftEntry[]> {
  const at = droppedAt(operation, scene);
  const left = await removeWhatGoes(at);
  if (left.length === 0) return [];
  const place = scene.place(operation.path);
  const isFree = statsOf(place.at) === undefined;
  if (isFree) renameSync(at, place.at);
  const path = isFree ? place.path : join(place.directory.path, operation.temporary);
  return left.map(({ below, error }) => ({ path: join(path, below), error }));
}

/** What could not be taken back whole stays in the list, with all that was kept: nothing is lost by it. */
export async function concludeTakenBack(record: Draft, scene: Scene, isClean: boolean): Promise<void> {
  for (const path of record.made.toReversed()) removeIfEmpty(path, scene);
  if (isClean) {
    await scene.entry.remove();
    return;
  }
  // What it was to undo is still to be undone.
  const { undoes: _, ...rest } = record;
  scene.entry.commit({ ...rest, unmade: [], isPartial: true });
  scene.entry.finish();
  scene.entry.conclude();
}

/** What was undone is not undone again: its place in the list is taken by the undoing, which can be. */
async function removeUndone({ undoes }: Draft, { trash }: Scene): Promise<void> {
  if (undoes === undefined || !statsOf(trash.folder.at(undoes))) return;
  const undone = new Entry(trash, undoes);
  try {
    await undone.remove();
  } finally {
    undone.close();
  }
}

function removeIfEmpty(path: string, scene: Scene): void {
  try {
    rmdirSync(scene.place(path).at);
  } catch {
    // Somebody uses it by now, or never made it.
  }
}
