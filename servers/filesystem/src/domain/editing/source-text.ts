import { isUtf8 } from "node:buffer";

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
  Buffer.concat([hasMark ? MARK : Buffer.alloc(0), Buffer.from(text)]);
