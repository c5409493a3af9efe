import { read, readSync } from "node:fs";
import { promisify } from "node:util";

import type { StopSignal } from "../errors/stop-signal.ts";

const readLater = promisify(read);

/** Reads up to `length` bytes. In a loop, because a single read may return less. */
export function readBytes(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

/** The same without blocking, for files that may be huge or on a slow disk. */
export async function readBytesLater(
  fd: number,
  position: number,
  length: number,
  signal: StopSignal,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    signal.throwIfAborted();
    const { bytesRead } = await readLater(fd, bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
