import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Some bytes of a file, from its end if `at` is negative; none if it is missing or not a regular file. Opened without
 * blocking: anything may lie beside a database, and opening a pipe would wait for its writer.
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
