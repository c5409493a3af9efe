import { linkSync, renameSync, unlinkSync } from "node:fs";
import type { RecordedMove } from "../change-record.ts";
import { identify, isSameEntry, isStill, statsOf } from "../identity.ts";
import type { Place } from "../scene.ts";
import { installImage, keepImage } from "./image.ts";
import type { Handling, PlannedMove } from "./operation.ts";
import { hasNoLinks, renameToFree } from "./put.ts";

export const move: Handling<RecordedMove, PlannedMove> = {
  record: ({ from, to, replaces }, image, toRecorded) => ({
    kind: "move",
    from: toRecorded(from),
    to: toRecorded(to),
    ...(replaces && { image }),
  }),

  places: ({ from, to }) => [from, to],

  async prepare(_, { from, to, image }, scene) {
    const target = scene.place(to).at;
    if (image !== undefined) await keepImage(target, scene.image(image));
    const bytes = image === undefined ? 0 : Number(statsOf(target)?.size ?? 0);
    return { after: identify(scene.place(from).at), bytes };
  },

  perform({ from, to, image, after }, scene) {
    const [source, target] = [scene.place(from), scene.place(to)];
    if (image === undefined && after?.kind === "file" && !isSameName(source, target)) {
      moveToFree(source, target);
      return;
    }
    renameSync(source.at, target.at);
    // Of two names of one file, a rename leaves both.
    if (!isSameName(source, target) && isSameEntry(source.at, target.at)) unlinkSync(source.at);
  },

  isDone: ({ from, to }, scene) => {
    const [source, target] = [scene.place(from), scene.place(to)];
    // Where upper and lower case are one, both names are there before and after: doing it again does no harm.
    return isSameName(source, target) || statsOf(source.at) === undefined;
  },

  async abandon({ from, to, image }, scene) {
    const [source, target] = [scene.place(from), scene.place(to)];
    // Taken back by half, by a recovery that was ended itself.
    if (image !== undefined && statsOf(target.at) === undefined && statsOf(scene.image(image))) {
      await installImage(scene.image(image), target);
    }
    // Ended between its two halves.
    if (image === undefined && !isSameName(source, target) && isSameEntry(source.at, target.at)) {
      unlinkSync(target.at);
    }
  },

  async revert({ from, to, image, after }, scene) {
    const [source, target] = [scene.place(from), scene.place(to)];
    const isFree = statsOf(source.at) === undefined || isSameName(source, target);
    if (!isFree || !after || !isStill(after, target.at)) return false;
    renameSync(target.at, source.at);
    if (image !== undefined) await installImage(scene.image(image), target);
    return true;
  },
};

/** A rename would replace what somebody else has put there a moment ago. */
function moveToFree(source: Place, target: Place): void {
  try {
    linkSync(source.at, target.at);
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    renameToFree(source.at, target.at);
    return;
  }
  unlinkSync(source.at);
}

/** Written differently, but one name to some file systems. */
function isSameName(a: Place, b: Place): boolean {
  const fold = (name: string): string => name.normalize("NFC").toLowerCase();
  return a.directory === b.directory && fold(a.name) === fold(b.name) && isSameEntry(a.at, b.at);
}
