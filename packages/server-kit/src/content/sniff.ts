import { isUtf8 } from "node:buffer";
import { detectEncoding, ENCODINGS } from "./encoding.ts";
import { BINARY_MAGIC, TEXT_MAGIC } from "./magic.ts";
import { binaryTypeOf, textTypeOf } from "./mime-types.ts";

/** As much of a file's beginning as is needed. With exactly so many bytes, the last character may be cut. */
export const SNIFF_BYTES = 8192;

export interface Sniffed {
  readonly mimeType: string;
  readonly isText: boolean;
}

/** What a file is, by its content first and by its name only where this says no more. Give it the file or its beginning. */
export function sniff(bytes: Uint8Array, name: string): Sniffed {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isText(content) ? sniffText(content, name) : sniffBinary(content, name);
}

function isText(content: Buffer): boolean {
  if (detectEncoding(content) !== ENCODINGS["utf-8"]) return true;
  if (content.includes(0)) return false;
  if (isUtf8(content)) return true;
  return content.length === SNIFF_BYTES && CUT_BY.some((bytes) => isUtf8(content.subarray(0, -bytes)));
}

/** A character of UTF-8 has up to four bytes; one less can be there. */
const CUT_BY = [1, 2, 3];

function sniffText(content: Buffer, name: string): Sniffed {
  const start = content.toString("latin1", 0, 1024).replace("\xEF\xBB\xBF", "");
  const mimeType = TEXT_MAGIC.find(([, pattern]) => pattern.test(start))?.[0];
  // A PDF is for a reader of PDFs, even the rare one whose bytes are all letters.
  if (mimeType === "application/pdf") return { mimeType, isText: false };
  return { mimeType: mimeType ?? textTypeOf(name) ?? "text/plain", isText: true };
}

function sniffBinary(content: Buffer, name: string): Sniffed {
  const start = content.toString("latin1", 0, 512);
  const found = BINARY_MAGIC.find(([, bytes, offset = 0]) => start.startsWith(bytes, offset))?.[0];
  const named = binaryTypeOf(name);
  // Documents of many kinds are ZIP archives inside.
  const mimeType = found === undefined || found === "application/zip" ? (named ?? found) : found;
  return { mimeType: mimeType ?? "application/octet-stream", isText: false };
}
