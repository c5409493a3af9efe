import { renameSync } from "node:fs";
import { platform as platformHere } from "node:os";

import { codeOf } from "../errors/code-of.ts";

const HELD: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** 310 ms in all. */
const WAITS_MS = [10, 20, 40, 80, 160];

/**
 * Renames as `renameSync` does. Windows refuses this while another program has one of the files open; virus scanners and
 * indexers do so for a moment, so it is tried again there.
 */
export function rename(
  from: string,
  to: string,
  attempt: (from: string, to: string) => void = renameSync,
  platform: NodeJS.Platform = platformHere(),
): void {
  for (const wait of platform === "win32" ? WAITS_MS : []) {
    try {
      return attempt(from, to);
    } catch (error) {
      if (!HELD.has(codeOf(error))) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  }
  attempt(from, to);
}
