import {
  detectEncoding,
  diffTexts,
  etagOf,
  Fault,
  markLength,
  type OpenFile,
  fromCursor,
  isCount,
  isListOf,
  isText,
  type PathGuard,
  readBytes,
  readBytesLater,
  type StopSignal,
  toCursor,
  toPathText,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { findEnd } from "./fit-text.ts";
import { CHUNK_BYTES, COMPARED_BYTES, TEXT_BYTES } from "./limits.ts";
import { openForReading } from "./open.ts";

export interface DiffRequest {
  readonly old_path: string;
  readonly new_path: string;
  readonly context?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface FileDiff {
  old_path: string;
  new_path: string;
  /** Whether every byte is the same. */
  identical: boolean;
  /** "bytes" if one of them is not text or too large to be compared by lines: then `diff` is empty. */
  compared: "lines" | "bytes";
  diff: string;
  added_lines: number;
  removed_lines: number;
  /** Whether there is no shorter diff. */
  minimal: boolean;
  truncated: boolean;
  next_cursor?: string;
}

export async function diffFiles(
  guard: PathGuard,
  request: DiffRequest,
  signal: StopSignal,
  limit: number = TEXT_BYTES,
): Promise<FileDiff> {
  const before = openForReading(guard, request.old_path);
  return closing(before.file, (oldFile) => {
    const after = openForReading(guard, request.new_path);
    return closing(after.file, async (newFile) => {
      const paths = { old_path: toPathText(before.path), new_path: toPathText(after.path) };
      const texts = readBoth(oldFile, newFile);
      if (texts) return { ...paths, ...byLines(texts, paths, request, limit) };
      return { ...paths, ...byBytes(await haveSameBytes(oldFile, newFile, signal)) };
    });
  });
}

type Comparison = Omit<FileDiff, "old_path" | "new_path">;

const byBytes = (identical: boolean): Comparison => ({
  identical,
  compared: "bytes",
  diff: "",
  added_lines: 0,
  removed_lines: 0,
  minimal: true,
  truncated: false,
});

interface Texts {
  readonly old: string;
  readonly new: string;
  readonly identical: boolean;
}

/** undefined if one of them is too large or not text. */
function readBoth(before: OpenFile, after: OpenFile): Texts | undefined {
  if (before.stats.size > COMPARED_BYTES || after.stats.size > COMPARED_BYTES) return undefined;
  const read = ({ fd, stats }: OpenFile): Buffer => readBytes(fd, 0, Number(stats.size));
  const [oldBytes, newBytes] = [read(before), read(after)];
  const [oldText, newText] = [decode(oldBytes), decode(newBytes)];
  if (oldText === undefined || newText === undefined) return undefined;
  return { old: oldText, new: newText, identical: oldBytes.equals(newBytes) };
}

function decode(bytes: Buffer): string | undefined {
  const encoding = detectEncoding(bytes);
  if (encoding.name === "utf-8" && bytes.includes(0)) return undefined;
  return encoding.decode(bytes.subarray(markLength(bytes, encoding)));
}

function byLines(
  texts: Texts,
  { old_path: oldName, new_path: newName }: { readonly old_path: string; readonly new_path: string },
  { context = 3, cursor }: DiffRequest,
  limit: number,
): Comparison {
  const { text, addedLines, removedLines, isMinimal } = diffTexts(texts.old, texts.new, {
    oldName,
    newName,
    context,
  });
  const about = ["diff", oldName, newName, context];
  const version = etagOf(Buffer.from(text));
  const start = cursor === undefined ? 0 : parsePlace(cursor, about, version);
  const end = findEnd(text, start, limit);
  return {
    identical: texts.identical,
    compared: "lines",
    diff: text.slice(start, end),
    added_lines: addedLines,
    removed_lines: removedLines,
    minimal: isMinimal,
    truncated: end < text.length,
    ...(end < text.length && { next_cursor: toCursor([end, version], about) }),
  };
}

function parsePlace(cursor: string, about: (string | number)[], version: string): number {
  const [start, expected] = fromCursor(cursor, about, isListOf(isCount, isText));
  if (expected === version) return start;
  throw new Fault("conflict", "The files were changed since the cursor was made", {
    hint: "Compare them again without cursor.",
  });
}

async function haveSameBytes(before: OpenFile, after: OpenFile, signal: StopSignal): Promise<boolean> {
  if (before.stats.size !== after.stats.size) return false;
  const size = Number(before.stats.size);
  for (let position = 0; position < size; position += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, size - position);
    const oldBytes = await readBytesLater(before.fd, position, length, signal);
    if (!oldBytes.equals(await readBytesLater(after.fd, position, length, signal))) return false;
  }
  return true;
}
