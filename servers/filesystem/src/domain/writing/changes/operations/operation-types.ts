import { renameSync } from "node:fs";
import { basename } from "node:path";
import { toTemporaryName } from "../../../reserved-names.ts";
import type { RecordedDrop, RecordedOperation, RecordedRestore, RecordedTake } from "../change-record.ts";
import { identify, identifyWhole, isStill, statsOf } from "../identity.ts";
import type { OpenChange } from "../open-change.ts";
import { append, cut } from "./append.ts";
import { move } from "./move.ts";
import type {
  OperationType,
  PlannedDrop,
  PlannedOperation,
  PlannedRestore,
  PlannedTake,
} from "../change-plan.ts";
import { put } from "./put.ts";

/** Through the earlier change's folder, held meanwhile: somebody may put a link in its place. */
function withKept<T>({ entry, image }: RecordedRestore, { trash }: OpenChange, work: (kept: string) => T): T {
  const folder = trash.folder.enter(entry);
  try {
    return work(folder.at(image));
  } finally {
    folder.close();
  }
}

const restore: OperationType<RecordedRestore, PlannedRestore> = {
  record: ({ path, entry, image }, _, toRecorded) => ({
    kind: "restore",
    path: toRecorded(path),
    entry,
    image,
  }),

  targets: ({ path }) => [path],

  prepare: (_, recorded, change) =>
    Promise.resolve({ after: withKept(recorded, change, identifyWhole), bytes: 0 }),

  perform(recorded, change) {
    withKept(recorded, change, (kept) => renameSync(kept, change.target(recorded.path).at));
  },

  isDone: (recorded, change) => withKept(recorded, change, statsOf) === undefined,

  abandon: () => Promise.resolve(),

  revert(recorded, change) {
    const { at } = change.target(recorded.path);
    const isOurs = recorded.after !== undefined && isStill(recorded.after, at);
    if (isOurs) withKept(recorded, change, (kept) => renameSync(at, kept));
    return Promise.resolve(isOurs);
  },
};

/** Where it lies until it is removed for good. In its own directory: that is never on another volume. */
export const droppedAt = ({ path, temporary }: RecordedDrop, change: OpenChange): string =>
  change.target(path).directory.at(temporary);

const drop: OperationType<RecordedDrop, PlannedDrop> = {
  record: ({ path }, _, toRecorded) => ({
    kind: "drop",
    path: toRecorded(path),
    temporary: toTemporaryName(basename(path)),
  }),

  targets: ({ path }) => [path],

  prepare: (_, { path }, change) => Promise.resolve({ after: identify(change.target(path).at), bytes: 0 }),

  perform(recorded, change) {
    renameSync(change.target(recorded.path).at, droppedAt(recorded, change));
  },

  isDone: (recorded, change) => statsOf(droppedAt(recorded, change)) !== undefined,

  abandon: () => Promise.resolve(),

  revert(recorded, change) {
    const { at } = change.target(recorded.path);
    const isFree = statsOf(at) === undefined;
    if (isFree) renameSync(droppedAt(recorded, change), at);
    return Promise.resolve(isFree);
  },
};

const take: OperationType<RecordedTake, PlannedTake> = {
  record: ({ path }, image, toRecorded) => ({ kind: "take", path: toRecorded(path), image }),

  targets: ({ path }) => [path],

  // Nothing to make ready: it is moved as it is.
  prepare: ({ bytes }, { path }, change) =>
    Promise.resolve({ after: identify(change.target(path).at), bytes }),

  perform({ path, image }, change) {
    renameSync(change.target(path).at, change.image(image));
  },

  isDone: ({ image }, change) => statsOf(change.image(image)) !== undefined,

  abandon: () => Promise.resolve(),

  revert({ path, image }, change) {
    const { at } = change.target(path);
    const isFree = statsOf(at) === undefined;
    if (isFree) renameSync(change.image(image), at);
    return Promise.resolve(isFree);
  },
};

const TYPES = { put, append, cut, take, drop, move, restore } as const;

/** Each row of the table is for one kind only; that a kind always meets its own row is more than types can say. */
export const operationTypeOf = ({
  kind,
}: {
  readonly kind: RecordedOperation["kind"];
}): OperationType<RecordedOperation, PlannedOperation> => TYPES[kind];
