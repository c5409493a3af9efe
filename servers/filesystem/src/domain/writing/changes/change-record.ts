import * as v from "valibot";
import { isTemporaryName } from "../../reserved-names.ts";
import { type ProcessMark, isProcessMark } from "./process-mark.ts";

const ID = /^[0-9a-z]{9}-[0-9a-f]{6}$/;
export const isChangeId = (text: string): boolean => ID.test(text);

export const toChangeId = (time: number, random: string): string =>
  `${time.toString(36).padStart(9, "0")}-${random}`;

export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 9), 36);

/** Relative to the root whose trash this lies in, so that a project can be moved; absolute for other roots. */
const Path = v.pipe(v.string(), v.minLength(1), v.maxLength(8192));
const Id = v.pipe(v.string(), v.check(isChangeId));
/** A file or directory in the change's folder. */
const Image = v.pipe(v.string(), v.regex(/^\d{1,6}$/));
const Temporary = v.pipe(v.string(), v.check(isTemporaryName));
/** What an entry is, to recognise it later. */
const Recognised = v.exactOptional(
  v.strictObject({
    kind: v.picklist(["file", "directory", "link", "other"]),
    inode: v.string(),
    size: v.number(),
    modified: v.string(),
    etag: v.exactOptional(v.string()),
  }),
);
/** `image` has the bytes, and `identity` is of the file as it was before. */
const atEnd = { path: Path, image: Image, identity: Recognised };

const Operation = v.variant("kind", [
  // A new version was put in place, by renaming a temporary file beside it. `image` is what was there before.
  v.strictObject({
    kind: v.literal("put"),
    path: Path,
    temporary: Temporary,
    image: v.exactOptional(Image),
    identity: Recognised,
  }),
  // Something was added to the end of a file, or taken off it.
  v.strictObject({ kind: v.literal("append"), ...atEnd }),
  v.strictObject({ kind: v.literal("cut"), ...atEnd }),
  // Something was moved into the change's folder.
  v.strictObject({ kind: v.literal("take"), path: Path, image: Image }),
  // Something was given a temporary name, under which it is removed.
  v.strictObject({ kind: v.literal("drop"), path: Path, temporary: Temporary }),
  v.strictObject({
    kind: v.literal("move"),
    from: Path,
    to: Path,
    image: v.exactOptional(Image),
    identity: Recognised,
  }),
  // Something came back out of an earlier change's folder.
  v.strictObject({ kind: v.literal("restore"), path: Path, entry: Id, image: Image, identity: Recognised }),
]);

const Change = v.strictObject({
  id: Id,
  tool: v.string(),
  summary: v.string(),
  owner: v.custom<ProcessMark>(isProcessMark),
  /** Ties the record to its folder: a record that came with a repository, or by copying, fits no other. */
  proof: v.string(),
  /** Directories it made first, outermost first. */
  made: v.array(Path),
  /** Empty directories it removed at the end, innermost first. */
  removed: v.array(Path),
  operations: v.array(Operation),
  /** What is kept for undoing it. */
  bytes: v.number(),
  /** Nothing is kept once it is done, not even this record. */
  isPermanent: v.boolean(),
  /** Why it cannot be undone. */
  cannotUndo: v.exactOptional(v.string()),
  /** The change that this one took back. */
  undoes: v.exactOptional(Id),
  /** That one was an undo, so that this one made a change again. */
  isRedo: v.exactOptional(v.boolean()),
  /** Who made it, where callers are known by name. */
  principal: v.exactOptional(v.string()),
  /** It was interrupted, and could be neither finished nor taken back whole. */
  isPartial: v.exactOptional(v.boolean()),
});

export type ChangeRecord = Readonly<v.InferOutput<typeof Change>>;
/** A record that is not tied to a folder yet. */
export type Draft = Omit<ChangeRecord, "proof">;
export type RecordedOperation = Readonly<v.InferOutput<typeof Operation>>;
export type Recorded<Kind extends RecordedOperation["kind"]> = Extract<
  RecordedOperation,
  { readonly kind: Kind }
>;

/** Nothing, if it is not a record: it may be cut short, or somebody else's. */
export function readRecord(text: string): ChangeRecord | undefined {
  try {
    const { success, output } = v.safeParse(Change, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
