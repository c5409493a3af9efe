import { isUtf8 } from "node:buffer";
import { diffTexts, Fault } from "@suite/server-kit/domain";
import { COMPARED_BYTES } from "../reading/limits.ts";
import { findEnd } from "../reading/fit-text.ts";

/** A diff of what a change does to a file. */
export interface Preview {
  /** Unified; missing if one side is not text or too large to be compared. */
  diff?: string;
  /** Whether `diff` is only the beginning. */
  truncated?: boolean;
}

/** Limit for a diff, measured as it is shown. */
export const PREVIEW_SIZE: number = 16 * 1024;

export function previewChange(name: string, before: Buffer | undefined, after: Buffer): Preview {
  if ((before?.length ?? 0) > COMPARED_BYTES || after.length > COMPARED_BYTES) return {};
  const [oldText, newText] = [before ?? Buffer.alloc(0), after].map((bytes) => decodeSource(bytes)?.text);
  if (oldText === undefined || newText === undefined) return {};
  return previewTexts(name, oldText, newText);
}

/** Changed line endings are not shown, unless nothing else changes. */
export function previewTexts(
  name: string,
  oldText: string,
  newText: string,
  most: number = PREVIEW_SIZE,
): Preview {
  const [oldLines, newLines] = [oldText.replaceAll("\r\n", "\n"), newText.replaceAll("\r\n", "\n")];
  const isOnlyEnds = oldLines === newLines;
  const names = { oldName: name, newName: name };
  const { text } = isOnlyEnds ? diffTexts(oldText, newText, names) : diffTexts(oldLines, newLines, names);
  const end = findEnd(text, 0, most);
  return { diff: text.slice(0, end), ...(end < text.length && { truncated: true }) };
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The text of a file, and whether it begins with a byte order mark. */
export interface SourceText {
  readonly hasMark: boolean;
  readonly text: string;
}

/** undefined if it is not UTF-8 text: it could not be written back unchanged. */
export function decodeSource(bytes: Buffer): SourceText | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  const hasMark = bytes.subarray(0, MARK.length).equals(MARK);
  return { hasMark, text: bytes.subarray(hasMark ? MARK.length : 0).toString("utf8") };
}

export const encodeSource = ({ hasMark, text }: SourceText): Buffer =>
  Buffer.concat([hasMark ? MARK : Buffer.alloc(0), encodeText(text)]);

/** A lone surrogate has no UTF-8 form: Node would write U+FFFD instead. */
export function encodeText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  throw new Fault(
    "invalid_input",
    "The text contains half of a surrogate pair, which cannot be written as UTF-8",
    {
      hint: "Nothing was changed. Give whole characters, or base64 to write bytes.",
    },
  );
}
