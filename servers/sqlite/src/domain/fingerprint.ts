import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Where a database file counts its commits. */
const COUNTER = { at: 24, bytes: 4 };
/** What the index of a write-ahead log begins with: counters and checksums that are others after every commit. */
const LOG_STATE = { at: 0, bytes: 48 };

/**
 * Another one after every commit, whoever makes it, without a lock and without SQLite. Times and sizes of files are not
 * enough: two commits may fall into one tick of the clock.
 */
export function fingerprintOf(file: string): string {
  const database = `${describe(file)} ${readAt(file, COUNTER)}`;
  const log = describe(`${file}-wal`);
  // An empty log is there as soon as somebody reads.
  return log.includes(":0:") || log === ""
    ? database
    : `${database} ${log} ${readAt(`${file}-shm`, LOG_STATE)}`;
}

function describe(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : "";
}

function readAt(path: string, { at, bytes }: { readonly at: number; readonly bytes: number }): string {
  try {
    const fd = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString("base64", 0, readSync(fd, buffer, 0, bytes, at));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
