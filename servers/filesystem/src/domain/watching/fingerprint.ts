import { createHash } from "node:crypto";
import { lstatSync, opendirSync, type BigIntStats } from "node:fs";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { isOwnName } from "../writing/own-names.ts";

/** What a path that leads nowhere has, be it missing or out of bounds: whoever watches learns no more than a reader would. */
export const GONE = "gone";

/** Beyond it, a directory's own time of change must do. */
const MOST_NAMES = 10_000;

/** Two different ones: what a reader of the path gets has changed. */
export function fingerprintOf(guard: PathGuard | undefined, path: string): string {
  try {
    const located = guard?.locateExact(path);
    const stats = located && lstatSync(located, { bigint: true, throwIfNoEntry: false });
    if (!guard || !stats) return GONE;
    return stats.isDirectory() ? namesIn(guard, located, stats) : toMark(stats);
  } catch {
    return GONE;
  }
}

const toMark = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** Of names and kinds, not of times: a file replaced by another of its name leaves the listing as it was. */
function namesIn(guard: PathGuard, path: SafePath, stats: BigIntStats): string {
  const held = guard.holdDirectory(path);
  try {
    const names: string[] = [];
    const directory = opendirSync(held.at(), { bufferSize: 1024 });
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        if (isOwnName(entry.name)) continue;
        names.push(`${entry.isDirectory() ? "d" : "f"}${entry.name}`);
        if (names.length > MOST_NAMES) return toMark(stats);
      }
    } finally {
      directory.closeSync();
    }
    return createHash("sha256").update(names.toSorted().join("\0")).digest("base64");
  } finally {
    held.close();
  }
}
