import * as v from "valibot";
import type { Identity } from "./identity.ts";
import { isTemporaryName } from "../../reserved-names.ts";
import { type ProcessMark, isProcessMark } from "./process-mark.ts";

/** Paths are relative to the root whose trash this lies in, so that a project can be moved; others are absolute. */
export type RecordedOperation =
  | RecordedPut
  | RecordedAppend
  | RecordedCut
  | RecordedTake
  | RecordedDrop
  | RecordedMove
  | RecordedRestore;

/** A new version was put in place, by renaming a temporary file beside it. */
export interface RecordedPut {
  readonly kind: "put";
  readonly path: string;
  readonly temporary: string;
  /** What was there before, as a file in the change's folder. */
  readonly image?: string;
  /** What the entry is, to recognise it later. */
  readonly identity?: Identity;
}

/** Something was added to the end of a file: it is in the change's folder. */
export interface RecordedAppend {
  readonly kind: "append";
  readonly path: string;
  readonly image: string;
  /** Of the file as it was before. */
  readonly identity?: Identity;
}

/** The end of a file was taken off: it is in the change's folder. */
export interface RecordedCut {
  readonly kind: "cut";
  readonly path: string;
  readonly image: string;
  /** Of the file as it was before. */
  readonly identity?: Identity;
}

/** Something was moved into the change's folder. */
export interface RecordedTake {
  readonly kind: "take";
  readonly path: string;
  readonly image: string;
}

/** Something was given a temporary name, under which it is removed. */
export interface RecordedDrop {
  readonly kind: "drop";
  readonly path: string;
  readonly temporary: string;
}

export interface RecordedMove {
  readonly kind: "move";
  readonly from: string;
  readonly to: string;
  readonly image?: string;
  /** What the entry is, to recognise it later. */
  readonly identity?: Identity;
}

/** Something came back out of an earlier change's folder. */
export interface RecordedRestore {
  readonly kind: "restore";
  readonly path: string;
  readonly entry: string;
  readonly image: string;
  readonly identity?: Identity;
}

export interface ChangeRecord {
  readonly id: string;
  readonly tool: string;
  readonly summary: string;
  readonly owner: ProcessMark;
  /** Ties the record to its folder: a record that came with a repository, or by copying, fits no other. */
  readonly proof: string;
  /** Directories it made first, outermost first. */
  readonly made: readonly string[];
  /** Empty directories it removed at the end, innermost first. */
  readonly unmade: readonly string[];
  readonly operations: readonly RecordedOperation[];
  /** What is kept for undoing it. */
  readonly bytes: number;
  /** Nothing is kept once it is done. */
  readonly isForgotten: boolean;
  /** The change that this one took back. */
  readonly undoes?: string;
  /** That one was an undo, so that this one made a change again. */
  readonly isRedo?: boolean;
  /** Who made it, where callers are known by name. */
  readonly principal?: string;
  /** It was interrupted, and could be neither finished nor taken back whole. */
  readonly isPartial?: boolean;
}

const ID = /^[0-9a-z]{9}-[0-9a-f]{6}$/;
export const isChangeId = (text: string): boolean => ID.test(text);

export const toChangeId = (time: number, random: string): string =>
  `${time.toString(36).padStart(9, "0")}-${random}`;

export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 9), 36);

const Path = v.pipe(v.string(), v.minLength(1), v.maxLength(8192));
const Id = v.pipe(v.string(), v.check(isChangeId));
const Image = v.pipe(v.string(), v.regex(/^\d{1,6}$/));
const Temporary = v.pipe(v.string(), v.check(isTemporaryName));
const Recognised = v.exactOptional(
  v.strictObject({
    kind: v.picklist(["file", "directory", "link", "other"]),
    inode: v.string(),
    size: v.number(),
    modified: v.string(),
    etag: v.exactOptional(v.string()),
  }),
);

const Operation = v.variant("kind", [
  v.strictObject({
    kind: v.literal("put"),
    path: Path,
    temporary: Temporary,
    image: v.exactOptional(Image),
    identity: Recognised,
  }),
  v.strictObject({ kind: v.picklist(["append", "cut"]), path: Path, image: Image, identity: Recognised }),
  v.strictObject({ kind: v.literal("take"), path: Path, image: Image }),
  v.strictObject({ kind: v.literal("drop"), path: Path, temporary: Temporary }),
  v.strictObject({
    kind: v.literal("move"),
    from: Path,
    to: Path,
    image: v.exactOptional(Image),
    identity: Recognised,
  }),
  v.strictObject({ kind: v.literal("restore"), path: Path, entry: Id, image: Image, identity: Recognised }),
]);

const Change = v.strictObject({
  id: Id,
  tool: v.string(),
  summary: v.string(),
  owner: v.custom<ProcessMark>(isProcessMark),
  proof: v.string(),
  made: v.array(Path),
  unmade: v.array(Path),
  operations: v.array(Operation),
  bytes: v.number(),
  isForgotten: v.boolean(),
  undoes: v.exactOptional(Id),
  isRedo: v.exactOptional(v.boolean()),
  principal: v.exactOptional(v.string()),
  isPartial: v.exactOptional(v.boolean()),
});

/** Nothing, if it is not a record: it may be cut short, or somebody else's. */
export function readRecord(text: string): ChangeRecord | undefined {
  try {
    const { success, output } = v.safeParse(Change, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
