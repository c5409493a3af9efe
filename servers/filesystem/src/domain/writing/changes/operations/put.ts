import { closeSync, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import { basename } from "node:path";
import { type RecordedPut, timeOf } from "../change-record.ts";
import { identify, identifyWhole, isSameEntry, isStill, statsOf } from "../identity.ts";
import { toTemporaryName } from "../../own-names.ts";
import { removeTree } from "../remove-tree.ts";
import type { Place, Scene } from "../scene.ts";
import { installImage, keepImage } from "./image.ts";
import type { Handling, PlannedPut } from "./operation.ts";

const temporaryOf = ({ path, temporary }: RecordedPut, scene: Scene): string =>
  scene.place(path).directory.at(temporary);

export const put: Handling<RecordedPut, PlannedPut> = {
  record: ({ path, replaces }, image, toRecorded) => ({
    kind: "put",
    path: toRecorded(path),
    temporary: toTemporaryName(basename(path)),
    ...(replaces && { image }),
  }),

  places: ({ path }) => [path],

  async prepare({ fill }, recorded, scene) {
    const temporary = temporaryOf(recorded, scene);
    const { at } = scene.place(recorded.path);
    if (recorded.image !== undefined) await keepImage(at, scene.image(recorded.image));
    await fill(temporary);
    const bytes = recorded.image === undefined ? 0 : Number(statsOf(at)?.size ?? 0);
    return { after: identifyWhole(temporary), bytes };
  },

  perform(recorded, scene) {
    const temporary = temporaryOf(recorded, scene);
    const place = scene.place(recorded.path);
    if (recorded.image !== undefined || recorded.after?.kind === "directory") renameSync(temporary, place.at);
    else installNew(temporary, place);
  },

  isDone: (recorded, scene) => statsOf(temporaryOf(recorded, scene)) === undefined,

  async abandon(recorded, scene) {
    const temporary = temporaryOf(recorded, scene);
    const { at } = scene.place(recorded.path);
    // Ended between its two halves.
    const isHalfDone = isSameEntry(temporary, at) || (statsOf(temporary) && isTakenName(at, scene.entry.id));
    if (recorded.image === undefined && isHalfDone) unlinkSync(at);
    await removeTree(temporary);
  },

  async revert(recorded, scene) {
    const { path, image, after } = recorded;
    const place = scene.place(path);
    if (isAsBefore(place, image, scene)) return true;
    if (!after || !isStill(after, place.at)) return false;
    if (image !== undefined) {
      await installImage(scene.image(image), place);
      return true;
    }
    // Under the name it had before: whoever goes on here if we are ended finds it by that.
    const temporary = temporaryOf(recorded, scene);
    renameSync(place.at, temporary);
    await removeTree(temporary);
    return true;
  },
};

/** It never happened, or was taken back already by somebody who was ended then. */
function isAsBefore({ at }: Place, image: string | undefined, scene: Scene): boolean {
  if (image === undefined) return statsOf(at) === undefined;
  const kept = scene.image(image);
  return statsOf(kept) === undefined || isStill(identify(kept), at);
}

/** A rename would replace what somebody else has put there a moment ago. */
function installNew(temporary: string, { at }: Place): void {
  try {
    linkSync(temporary, at);
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    renameToFree(temporary, at);
    return;
  }
  unlinkSync(temporary);
}

/** Where links cannot be made: the name is taken first, which fails if somebody has it, and then replaced. */
export function renameToFree(from: string, to: string): void {
  closeSync(openSync(to, "wx", 0o600));
  try {
    renameSync(from, to);
  } catch (error) {
    unlinkSync(to);
    throw error;
  }
}

/** Ended between the two, it leaves an empty file that is younger than the change. */
function isTakenName(at: string, changeId: string): boolean {
  const stats = statsOf(at);
  return stats?.isFile() === true && stats.size === 0n && Number(stats.mtimeMs) >= timeOf(changeId);
}

/** Some file systems know one name for each file. */
export const hasNoLinks = (error: unknown): boolean =>
  ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
