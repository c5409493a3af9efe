import { isUtf8 } from "node:buffer";
import { diffTexts, Fault } from "@suite/server-kit/domain";
import { COMPARED_BYTES } from "../reading/limits.ts";
import { findEnd } from "../reading/fit-text.ts";

/** What a change does to a file, for a reader. */
export interface Preview {
  /** Unified; missing where one side is not text, or too large to be compared. */
  diff?: string;
  /** Only the beginning of the diff is here. */
  truncated?: boolean;
}

/** Characters as they are shown. Whoever wants to see more reads the file. */
export const PREVIEW_SIZE: number = 16 * 1024;

export function previewChange(name: string, before: Buffer | undefined, after: Buffer): Preview {
  if ((before?.length ?? 0) > COMPARED_BYTES || after.length > COMPARED_BYTES) return {};
  const [oldText, newText] = [before ?? Buffer.alloc(0), after].map((bytes) => decodeSource(bytes)?.text);
  if (oldText === undefined || newText === undefined) return {};
  return previewTexts(name, oldText, newText);
}

/** Line ends are not shown, unless they are all that changes. */
export function previewTexts(
  name: string,
  oldText: string,
  newText: string,
  most: number = PREVIEW_SIZE,
): Preview {
  const [oldLines, newLines] = [oldText, newText].map((text) => text.replaceAll("\r\n", "\n"));
  const isOnlyEnds = oldLines === newLines;
  const { text } = diffTexts(
    isOnlyEnds ? oldText : (oldLines ?? ""),
    isOnlyEnds ? newText : (newLines ?? ""),
    { oldName: name, newName: name },
  );
  const end = findEnd(text, 0, most);
  return { diff: text.slice(0, end), ...(end < text.length && { truncated: true }) };
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The text of a file, with what stands before it. */
export interface SourceText {
  readonly hasMark: boolean;
  readonly text: string;
}

/** Nothing, if it is not text in UTF-8: it could not be written back as it was. */
export function decodeSource(bytes: Buffer): SourceText | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  const hasMark = bytes.subarray(0, MARK.length).equals(MARK);
  return { hasMark, text: bytes.subarray(hasMark ? MARK.length : 0).toString("utf8") };
}

export const encodeSource = ({ hasMark, text }: SourceText): Buffer =>
  Buffer.concat([hasMark ? MARK : Buffer.alloc(0), encodeText(text)]);

/** Half a surrogate pair has no bytes in UTF-8: something else would be written in its place. */
export function encodeText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  throw new Fault("invalid_input", "The text holds half of a surrogate pair, which no file can hold", {
    hint: "Nothing was changed. Give whole characters, or base64 where bytes are meant.",
  });
}
