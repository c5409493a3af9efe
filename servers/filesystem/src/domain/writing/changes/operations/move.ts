import { renameSync, unlinkSync } from "node:fs";
import { moveToFree } from "@suite/server-kit/domain";
import type { RecordedMove } from "../change-record.ts";
import { identify, isSameEntry, isStill, statsOf } from "../identity.ts";
import type { ChangeTarget } from "../open-change.ts";
import { installImage, keepImage } from "./image.ts";
import type { OperationType, PlannedMove } from "../change-plan.ts";

export const move: OperationType<RecordedMove, PlannedMove> = {
  record: ({ from, to, replaces }, image, toRecorded) => ({
    kind: "move",
    from: toRecorded(from),
    to: toRecorded(to),
    ...(replaces && { image }),
  }),

  targets: ({ from, to }) => [from, to],

  async prepare(_, { from, to, image }, change) {
    const target = change.target(to).at;
    if (image !== undefined) await keepImage(target, change.image(image));
    const bytes = image === undefined ? 0 : Number(statsOf(target)?.size ?? 0);
    return { after: identify(change.target(from).at), bytes };
  },

  perform({ from, to, image, after }, change) {
    const [source, target] = [change.target(from), change.target(to)];
    if (image === undefined && after?.kind === "file" && !isSameName(source, target)) {
      moveToFree(source.at, target.at);
      return;
    }
    renameSync(source.at, target.at);
    // Of two names of one file, a rename leaves both.
    if (!isSameName(source, target) && isSameEntry(source.at, target.at)) unlinkSync(source.at);
  },

  isDone: ({ from, to }, change) => {
    const [source, target] = [change.target(from), change.target(to)];
    // Where upper and lower case are one, both names are there before and after: doing it again does no harm.
    return isSameName(source, target) || statsOf(source.at) === undefined;
  },

  async abandon({ from, to, image }, change) {
    const [source, target] = [change.target(from), change.target(to)];
    // Taken back by half, by a recovery that was ended itself.
    if (image !== undefined && statsOf(target.at) === undefined && statsOf(change.image(image))) {
      await installImage(change.image(image), target);
    }
    // Ended between its two halves.
    if (image === undefined && !isSameName(source, target) && isSameEntry(source.at, target.at)) {
      unlinkSync(target.at);
    }
  },

  async revert({ from, to, image, after }, change) {
    const [source, target] = [change.target(from), change.target(to)];
    const isFree = statsOf(source.at) === undefined || isSameName(source, target);
    if (!isFree || !after || !isStill(after, target.at)) return false;
    renameSync(target.at, source.at);
    if (image !== undefined) await installImage(change.image(image), target);
    return true;
  },
};

/** Written differently, but one name to some file systems. */
function isSameName(a: ChangeTarget, b: ChangeTarget): boolean {
  const fold = (name: string): string => name.normalize("NFC").toLowerCase();
  return a.directory === b.directory && fold(a.name) === fold(b.name) && isSameEntry(a.at, b.at);
}
