import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Some bytes of a file, counted from its end where `at` is negative; none where it is not there or no regular file. Beside a
 * database anything may lie, and opening a pipe in the usual way would wait for whoever writes to it.
 */
export function readPart(path: string, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      const start = at < 0 ? stats.size + at : at;
      return buffer.subarray(0, stats.isFile() && start >= 0 ? readSync(fd, buffer, 0, bytes, start) : 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return buffer.subarray(0, 0);
  }
}
