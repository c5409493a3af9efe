import { type Encoding } from "@suite/server-kit/domain";

const LF = 0x0a;

/** The first newline at or after a position, or -1. The bytes must begin with a whole code unit. */
export function findNewline(bytes: Buffer, from: number, { unit, newline }: Encoding): number {
  if (unit === 1) return bytes.indexOf(LF, from);
  let found = bytes.indexOf(newline, from);
  // The second half of one unit and the first of the next can look like a newline.
  while (found % 2 === 1) found = bytes.indexOf(newline, found + 1);
  return found;
}

/** The last newline that ends at or before a position, or -1. */
export function findNewlineBefore(bytes: Buffer, end: number, { unit, newline }: Encoding): number {
  // Negative positions would count from the other end.
  if (end < unit) return -1;
  if (unit === 1) return bytes.lastIndexOf(LF, end - 1);
  let found = bytes.lastIndexOf(newline, end - unit);
  while (found % 2 === 1) found = found === 1 ? -1 : bytes.lastIndexOf(newline, found - 1);
  return found;
}

export function countNewlines(bytes: Buffer, encoding: Encoding): number {
  let count = 0;
  let found = findNewline(bytes, 0, encoding);
  while (found !== -1) {
    count += 1;
    found = findNewline(bytes, found + encoding.unit, encoding);
  }
  return count;
}

/** Non-empty text after the last newline counts as a line. */
export function countLines(bytes: Buffer, encoding: Encoding): number {
  const isEnded = bytes.length === 0 || bytes.subarray(-encoding.unit).equals(encoding.newline);
  return countNewlines(bytes, encoding) + (isEnded ? 0 : 1);
}
