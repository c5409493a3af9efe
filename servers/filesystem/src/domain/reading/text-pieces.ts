import { type Encoding } from "@suite/server-kit/domain";
import type { ByteReader } from "./byte-reader.ts";
import { findNewline, findNewlineBefore } from "./newlines.ts";

/** Where a piece begins (`from`, inside or at the start of `line`) or ends (`until`), and how many lines it may have (`left`). */
export type TextPlace =
  | { readonly from: number; readonly line: number; readonly left: number }
  | { readonly until: number; readonly left: number };

export type Forwards = Extract<TextPlace, { readonly from: number }>;
export type Backwards = Extract<TextPlace, { readonly until: number }>;

export interface TextPiece {
  readonly bytes: Buffer;
  /** Position of the first byte in the file. */
  readonly position: number;
  /** Number of line ends in it; the end of the file counts as one. */
  readonly lines: number;
  /** Whether there is nothing after it. */
  readonly isLast: boolean;
  /** Where the requested part continues, if the limit cut it. */
  readonly next: TextPlace | undefined;
  /** Whether it was cut inside a line because that line alone exceeds the limit. */
  readonly isWithinLine: boolean;
}

export interface TextRange {
  readonly encoding: Encoding;
  /** Where the text begins, after the byte order mark. */
  readonly start: number;
  /** Where it ends: the file's size. */
  readonly end: number;
}

/** Bytes per read while lines are counted. */
const CHUNK_BYTES = 1024 * 1024;

/** Bytes read beyond the limit, to see whether a character ends there. */
const SLACK = 4;

const toUnits = (bytes: number, { unit }: Encoding): number => bytes - (bytes % unit);

/** The requested whole lines that fit, from `place` on; if not even one line fits, its beginning. */
export function* takeForwards(text: TextRange, place: Forwards, limit: number): ByteReader<TextPiece> {
  const { encoding } = text;
  const most = toUnits(limit, encoding);
  const length = Math.min(most + SLACK, text.end - place.from);
  const bytes = yield { position: place.from, length };
  // A short read means that the file became shorter.
  const isAtEnd = bytes.length < length || place.from + length >= text.end;
  let end = 0;
  let lines = 0;
  while (lines < place.left) {
    const newline = findNewline(bytes, end, encoding);
    if (newline === -1 || newline + encoding.unit > most) break;
    end = newline + encoding.unit;
    lines += 1;
  }
  if (lines < place.left && isAtEnd && bytes.length <= most && end < bytes.length) {
    end = bytes.length;
    lines += 1;
  }
  const isWithinLine = lines === 0 && end < bytes.length;
  if (isWithinLine) end = toBoundaryBefore(bytes, most, encoding);
  const isLast = isAtEnd && end === bytes.length;
  const isCut = !isLast && lines < place.left;
  return {
    bytes: bytes.subarray(0, end),
    position: place.from,
    lines,
    isLast,
    isWithinLine,
    next: isCut ? { from: place.from + end, line: place.line + lines, left: place.left - lines } : undefined,
  };
}

/** The same backwards: the last lines before `place`. */
export function* takeBackwards(text: TextRange, place: Backwards, limit: number): ByteReader<TextPiece> {
  const { encoding } = text;
  const most = toUnits(limit, encoding);
  const position = Math.max(text.start, place.until - most - SLACK);
  const bytes = yield { position, length: place.until - position };
  let start = bytes.length;
  let lines = 0;
  while (lines < place.left && start > 0) {
    const newline = findNewlineBefore(bytes, start - encoding.unit, encoding);
    const lineStart = newline === -1 ? 0 : newline + encoding.unit;
    const isWhole = newline !== -1 || position === text.start;
    if (!isWhole || bytes.length - lineStart > most) break;
    start = lineStart;
    lines += 1;
  }
  const isWithinLine = lines === 0 && start > 0;
  if (isWithinLine) start = toBoundaryAfter(bytes, bytes.length - most, encoding);
  const isCut = lines < place.left && position + start > text.start;
  return {
    bytes: bytes.subarray(start),
    position: position + start,
    lines,
    isLast: place.until >= text.end,
    isWithinLine,
    next: isCut ? { until: position + start, left: place.left - lines } : undefined,
  };
}

/** The position after `count` newlines; if there are fewer, the end and the number of lines. */
export function* skipLines(text: TextRange, count: number): ByteReader<{ position: number; lines: number }> {
  const { encoding } = text;
  let position = text.start;
  let lineStart = position;
  let lines = 0;
  // Starts small: most requested lines are near the top.
  let length = CHUNK_BYTES / 16;
  while (lines < count && position < text.end) {
    const chunk = yield { position, length: Math.min(length, text.end - position) };
    if (chunk.length === 0) break;
    let newline = findNewline(chunk, 0, encoding);
    while (newline !== -1) {
      lines += 1;
      lineStart = position + newline + encoding.unit;
      if (lines === count) return { position: lineStart, lines };
      newline = findNewline(chunk, newline + encoding.unit, encoding);
    }
    position += chunk.length;
    length = CHUNK_BYTES;
  }
  // Non-empty text after the last newline counts as a line.
  return { position, lines: lines + (lineStart < position ? 1 : 0) };
}

function toBoundaryBefore(bytes: Buffer, position: number, encoding: Encoding): number {
  for (let at = position; at > position - SLACK; at -= 1) if (encoding.isBoundary(bytes, at)) return at;
  return position;
}

function toBoundaryAfter(bytes: Buffer, position: number, encoding: Encoding): number {
  for (let at = position; at < position + SLACK; at += 1) if (encoding.isBoundary(bytes, at)) return at;
  return position;
}
