import { unlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { moveToFree, rename } from "@suite/server-kit/domain";
import {
  identify,
  identifyBriefly,
  identifyWhole,
  isSameEntry,
  isStill,
  readSmallFile,
  statsOf,
} from "../identity.ts";
import { toTemporaryName } from "../../../reserved-names.ts";
import { removeTree } from "../remove-tree.ts";
import type { ChangeTarget, OpenChange } from "../open-change.ts";
import { installImage, keepImage } from "./image.ts";
import type { OperationType } from "../change-plan.ts";

/**
 * Creates or replaces an entry atomically. Does not use the kit's AtomicFile: here the temporary name is in the journal before
 * the file exists, so that recovery knows what it was for.
 */
export const put: OperationType<"put"> = {
  record: ({ path, replaces }, image, toRecorded) => ({
    kind: "put",
    path: toRecorded(path),
    temporary: toTemporaryName(basename(path)),
    ...(replaces && { image }),
  }),

  async prepare({ fill }, recorded, change) {
    const temporary = change.temporary(recorded);
    const { at } = change.target(recorded.path);
    if (recorded.image !== undefined) await keepImage(at, change.image(recorded.image));
    await fill(temporary);
    const bytes = recorded.image === undefined ? 0 : Number(statsOf(at)?.size ?? 0);
    return { identity: identifyWhole(temporary), bytes };
  },

  perform(recorded, change) {
    const temporary = change.temporary(recorded);
    const target = change.target(recorded.path);
    if (recorded.image !== undefined || recorded.identity?.kind === "directory") rename(temporary, target.at);
    else moveToFree(temporary, target.at, () => recordTaken(recorded.temporary, target, change));
  },

  isDone: (recorded, change) => statsOf(change.temporary(recorded)) === undefined,

  async abandon(recorded, change) {
    const temporary = change.temporary(recorded);
    const target = change.target(recorded.path);
    // The process was killed between the two steps of `moveToFree`.
    const isHalfDone = isSameEntry(temporary, target.at) || isTaken(recorded.temporary, target, change);
    if (recorded.image === undefined && isHalfDone) unlinkSync(target.at);
    await removeTree(temporary);
  },

  async revert(recorded, change) {
    const { path, image, identity } = recorded;
    const target = change.target(path);
    if (isAsBefore(target, image, change)) return true;
    if (!identity || !isStill(identity, target.at)) return false;
    if (image !== undefined) {
      await installImage(change.image(image), target);
      return true;
    }
    // Move it to its temporary name first: recovery finds it there if this process is killed.
    const temporary = change.temporary(recorded);
    rename(target.at, temporary);
    await removeTree(temporary);
    return true;
  },
};

/** It never happened, or was already reverted by a process that was killed then. */
function isAsBefore({ at }: ChangeTarget, image: string | undefined, change: OpenChange): boolean {
  if (image === undefined) return statsOf(at) === undefined;
  const kept = change.image(image);
  return statsOf(kept) === undefined || isStill(identify(kept), at);
}

/** Records that the empty placeholder file is ours: other programs create empty files, too. */
export function recordTaken(name: string, { at }: ChangeTarget, change: OpenChange): void {
  writeFileSync(takenAt(name, change), describeEntry(at), { flag: "wx" });
}

export function isTaken(name: string, { at }: ChangeTarget, change: OpenChange): boolean {
  const note = takenAt(name, change);
  if (!statsOf(note) || !statsOf(at)) return false;
  return readSmallFile(note, MOST_NOTE_BYTES)?.toString() === describeEntry(at);
}

const MOST_NOTE_BYTES = 1024;
const takenAt = (name: string, change: OpenChange): string => change.image(`${name}.taken`);
const describeEntry = (path: string): string => JSON.stringify(identifyBriefly(path));
