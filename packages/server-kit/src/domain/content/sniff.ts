import { isUtf8 } from "node:buffer";
import { detectEncoding, ENCODINGS } from "./encoding.ts";
import { binaryTypeOf, textTypeOf } from "./mime-types.ts";

/** How much of a file's beginning is needed. If the content has exactly this length, its last character may be cut. */
export const SNIFF_BYTES = 8192;

/** What a file turned out to be. */
export interface Sniffed {
  readonly mimeType: string;
  readonly isText: boolean;
}

/** The type of a file, by its content first and then by its name. `bytes`: the file or its beginning. */
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

/** A UTF-8 character has up to four bytes, of which up to three may be left by a cut. */
const CUT_BY = [1, 2, 3];

function sniffText(content: Buffer, name: string): Sniffed {
  const start = content.toString("latin1", 0, 1024).replace("\xEF\xBB\xBF", "");
  const mimeType = TEXT_MAGIC.find(([, pattern]) => pattern.test(start))?.[0];
  // Even the rare PDF that is all text needs a PDF reader.
  if (mimeType === "application/pdf") return { mimeType, isText: false };
  return { mimeType: mimeType ?? textTypeOf(name) ?? "text/plain", isText: true };
}

function sniffBinary(content: Buffer, name: string): Sniffed {
  const start = content.toString("latin1", 0, 512);
  const found = BINARY_MAGIC.find(([, bytes, offset = 0]) => start.startsWith(bytes, offset))?.[0];
  const named = binaryTypeOf(name);
  // Many document formats are ZIP archives.
  const mimeType = found === undefined || found === "application/zip" ? (named ?? found) : found;
  return { mimeType: mimeType ?? "application/octet-stream", isText: false };
}

/** Signature of a file type: the bytes as Latin-1 text, and their offset if not 0. */
type Magic = readonly [mimeType: string, bytes: string, offset?: number];

/** The first match counts, so more specific ones come first. */
const BINARY_MAGIC: readonly Magic[] = [
  ["image/png", "\x89PNG\r\n\x1A\n"],
  ["image/jpeg", "\xFF\xD8\xFF"],
  ["image/gif", "GIF8"],
  ["image/webp", "WEBP", 8],
  ["image/bmp", "BM"],
  ["image/tiff", "II*\0"],
  ["image/tiff", "MM\0*"],
  ["image/x-icon", "\0\0\x01\0"],
  ["image/vnd.adobe.photoshop", "8BPS"],
  ["image/jxl", "\0\0\0\x0CJXL \r\n\x87\n"],
  ["image/jxl", "\xFF\x0A"],
  ["image/avif", "ftypavif", 4],
  ["image/avif", "ftypavis", 4],
  ["image/heic", "ftypheic", 4],
  ["image/heic", "ftypheix", 4],
  ["image/heif", "ftypmif1", 4],
  ["audio/mp4", "ftypM4A ", 4],
  ["video/quicktime", "ftypqt  ", 4],
  ["video/mp4", "ftyp", 4],
  ["audio/wav", "WAVE", 8],
  ["video/x-msvideo", "AVI ", 8],
  ["audio/mpeg", "ID3"],
  ["audio/mpeg", "\xFF\xFB"],
  ["audio/mpeg", "\xFF\xF3"],
  ["audio/mpeg", "\xFF\xF2"],
  ["audio/aac", "\xFF\xF1"],
  ["audio/aac", "\xFF\xF9"],
  ["audio/flac", "fLaC"],
  ["audio/midi", "MThd"],
  ["audio/aiff", "AIFF", 8],
  ["video/ogg", "\x80theora", 28],
  ["audio/ogg", "OggS"],
  ["video/webm", "webm", 31],
  ["video/webm", "webm", 24],
  ["video/x-matroska", "\x1A\x45\xDF\xA3"],
  ["font/woff2", "wOF2"],
  ["font/woff", "wOFF"],
  ["font/otf", "OTTO"],
  ["font/ttf", "\0\x01\0\0\0"],
  ["application/pdf", "%PDF-"],
  ["application/zip", "PK\x03\x04"],
  ["application/zip", "PK\x05\x06"],
  ["application/gzip", "\x1F\x8B"],
  ["application/x-bzip2", "BZh"],
  ["application/x-xz", "\xFD7zXZ\0"],
  ["application/zstd", "\x28\xB5\x2F\xFD"],
  ["application/x-7z-compressed", "7z\xBC\xAF\x27\x1C"],
  ["application/vnd.rar", "Rar!\x1A\x07"],
  ["application/x-tar", "ustar", 257],
  ["application/wasm", "\0asm"],
  ["application/vnd.sqlite3", "SQLite format 3\0"],
  ["application/x-executable", "\x7FELF"],
  ["application/vnd.microsoft.portable-executable", "MZ"],
  ["application/x-mach-binary", "\xCF\xFA\xED\xFE"],
  ["application/x-mach-binary", "\xCE\xFA\xED\xFE"],
  ["application/java-vm", "\xCA\xFE\xBA\xBE"],
  ["application/vnd.apache.parquet", "PAR1"],
];

/** Signatures of formats that are text. */
const TEXT_MAGIC: readonly (readonly [mimeType: string, start: RegExp])[] = [
  ["application/pdf", /^%PDF-/],
  ["application/rtf", /^\{\\rtf/],
  ["image/svg+xml", /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i],
  ["text/html", /^\s*<(?:!doctype html|html)[\s>]/i],
];
