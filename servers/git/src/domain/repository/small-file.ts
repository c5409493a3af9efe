import { readSync } from "node:fs";

import { Fault, type PathGuard, quotePath } from "@suite/server-kit/domain";

const MOST_BYTES = 1024 * 1024;

/** A whole file of git's own, through the guard. */
export function readSmallFile(guard: PathGuard, path: string, mostBytes: number = MOST_BYTES): Buffer {
  const file = guard.openFile(guard.locate(path));
  try {
    const bytes = Buffer.alloc(Math.min(Number(file.stats.size), mostBytes) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file.fd, bytes, length, bytes.length - length, length);
    }
    if (length > mostBytes)
      throw new Fault("too_large", `${quotePath(path)} has more than ${mostBytes} bytes`);
    return bytes.subarray(0, length);
  } finally {
    file.close();
  }
}
