import { unlinkSync } from "node:fs";
import { basename } from "node:path";
import { moveToFree, rename } from "@suite/server-kit/domain";
import { closing } from "../../../closing.ts";
import { toTemporaryName } from "../../../reserved-names.ts";
import { measureEntry } from "../../../walking/measure-tree.ts";
import type { Recorded, RecordedOperation } from "../change-record.ts";
import { identify, identifyWhole, isRespelling, isSameEntry, isStill, statsOf } from "../identity.ts";
import type { ChangeTarget, OpenChange } from "../open-change.ts";
import { append, cut } from "./append.ts";
import { installImage, keepImage } from "./image.ts";
import type { OperationType } from "../change-plan.ts";
import { isTaken, put, recordTaken } from "./put.ts";

/** Holds the earlier change's folder open meanwhile: it could be replaced with a link. */
const withKept = <T>(
  { entry, image }: Recorded<"restore">,
  { trash }: OpenChange,
  work: (kept: string) => T,
): T => closing(trash.folder.enter(entry), (folder) => work(folder.at(image)));

const restore: OperationType<"restore"> = {
  record: ({ path, entry, image }, _, toRecorded) => ({
    kind: "restore",
    path: toRecorded(path),
    entry,
    image,
  }),

  prepare: (_, recorded, change) => ({ identity: withKept(recorded, change, identifyWhole), bytes: 0 }),

  perform(recorded, change) {
    const target = change.target(recorded.path);
    const isDirectory = recorded.identity?.kind === "directory";
    withKept(recorded, change, (kept) =>
      isDirectory
        ? rename(kept, target.at)
        : moveToFree(kept, target.at, () => recordTaken(recorded.image, target, change)),
    );
  },

  isDone: (recorded, change) => withKept(recorded, change, statsOf) === undefined,

  abandon(recorded, change, isCommitted) {
    const target = change.target(recorded.path);
    // The process was killed between the two steps of `moveToFree`.
    const isHalfDone =
      isCommitted &&
      (withKept(recorded, change, (kept) => isSameEntry(kept, target.at)) ||
        isTaken(recorded.image, target, change));
    if (isHalfDone) unlinkSync(target.at);
  },

  revert(recorded, change) {
    const { at } = change.target(recorded.path);
    const isOurs = recorded.identity !== undefined && isStill(recorded.identity, at);
    if (isOurs) withKept(recorded, change, (kept) => rename(at, kept));
    return isOurs;
  },
};

/** Returns whether its place is free. */
export function moveBack(from: string, { at }: ChangeTarget): boolean {
  const isFree = statsOf(at) === undefined;
  if (isFree) rename(from, at);
  return isFree;
}

const drop: OperationType<"drop"> = {
  record: ({ path }, _, toRecorded) => ({
    kind: "drop",
    path: toRecorded(path),
    temporary: toTemporaryName(basename(path)),
  }),

  prepare: () => ({ bytes: 0 }),

  perform(recorded, change) {
    rename(change.target(recorded.path).at, change.temporary(recorded));
  },

  isDone: (recorded, change) => statsOf(change.temporary(recorded)) !== undefined,

  revert: (recorded, change) => moveBack(change.temporary(recorded), change.target(recorded.path)),
};

const take: OperationType<"take"> = {
  record: ({ path }, image, toRecorded) => ({ kind: "take", path: toRecorded(path), image }),

  // Only measures: the entry is moved as it is.
  async prepare({ bytes }, { path }, change, signal) {
    return { bytes: bytes ?? (await measureEntry(change.guard, change.target(path).path, signal)).bytes };
  },

  perform({ path, image }, change) {
    rename(change.target(path).at, change.image(image));
  },

  isDone: ({ image }, change) => statsOf(change.image(image)) !== undefined,

  revert: ({ path, image }, change) => moveBack(change.image(image), change.target(path)),
};

const move: OperationType<"move"> = {
  record: ({ from, to, replaces }, image, toRecorded) => ({
    kind: "move",
    from: toRecorded(from),
    to: toRecorded(to),
    ...(replaces && { image }),
  }),

  async prepare(_, { from, to, image }, change) {
    const target = change.target(to).at;
    if (image !== undefined) await keepImage(target, change.image(image));
    const bytes = image === undefined ? 0 : Number(statsOf(target)?.size ?? 0);
    return { identity: identify(change.target(from).at), bytes };
  },

  perform({ from, to, image, identity }, change) {
    const [source, target] = [change.target(from), change.target(to)];
    if (image === undefined && identity?.kind === "file" && !isSameName(source, target)) {
      moveToFree(source.at, target.at);
      return;
    }
    rename(source.at, target.at);
    // Renaming one hard link of a file to another leaves both.
    if (!isSameName(source, target) && isSameEntry(source.at, target.at)) unlinkSync(source.at);
  },

  isDone: ({ from, to }, change) => {
    const [source, target] = [change.target(from), change.target(to)];
    // If the volume ignores case, both names exist before and after: it cannot be determined and counts as done.
    return isSameName(source, target) || statsOf(source.at) === undefined;
  },

  async abandon({ from, to, image }, change) {
    const [source, target] = [change.target(from), change.target(to)];
    // A recovery was killed while it reverted the move.
    if (image !== undefined && statsOf(target.at) === undefined && statsOf(change.image(image))) {
      await installImage(change.image(image), target);
    }
    // The process was killed between the two steps of `moveToFree`.
    if (image === undefined && !isSameName(source, target) && isSameEntry(source.at, target.at)) {
      unlinkSync(target.at);
    }
  },

  async revert({ from, to, image, identity }, change) {
    const [source, target] = [change.target(from), change.target(to)];
    const isFree = statsOf(source.at) === undefined || isSameName(source, target);
    if (!isFree || !identity || !isStill(identity, target.at)) return false;
    rename(target.at, source.at);
    if (image !== undefined) await installImage(change.image(image), target);
    return true;
  },
};

/** Different spellings that are one name to the file system. */
const isSameName = (a: ChangeTarget, b: ChangeTarget): boolean =>
  a.directory === b.directory && isRespelling(a.directory.at(), a.name, b.name);

const TYPES = { put, append, cut, take, drop, move, restore } as const;

/** The types cannot express that each kind gets its own entry of the table. */
export const operationTypeOf = ({
  kind,
}: {
  readonly kind: RecordedOperation["kind"];
}): OperationType<RecordedOperation["kind"]> => TYPES[kind] as OperationType<RecordedOperation["kind"]>;
