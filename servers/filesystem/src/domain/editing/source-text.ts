import { isUtf8 } from "node:buffer";

import { Fault } from "@suite/server-kit/domain";

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The text of a file, with what stands before it. */
export interface SourceText {
  readonly hasMark: boolean;
  readonly text: string;
}

/** Nothing, if it is no text in UTF-8: it could not be written back as it was. */
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
