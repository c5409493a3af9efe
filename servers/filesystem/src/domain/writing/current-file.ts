import type { BigIntStats } from "node:fs";
import { Fault, type OpenFile, type PathGuard, readBytes, type SafePath } from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { HASHED_BYTES } from "../reading/limits.ts";
import { fileEtag } from "../reading/open.ts";

export interface CurrentFile {
  readonly stats: BigIntStats;
  readonly etag: string;
}

/** undefined if nothing exists there. Throws if it is not a regular file. */
export const findFile = (guard: PathGuard, path: SafePath): CurrentFile | undefined =>
  withFile(guard, path, (file) => ({ stats: file.stats, etag: fileEtag(file) }));

/** undefined if nothing exists there. */
export function withFile<T>(guard: PathGuard, path: SafePath, work: (file: OpenFile) => T): T | undefined {
  const file = openIfThere(guard, path);
  return file && closing(file, work);
}

function openIfThere(guard: PathGuard, path: SafePath): OpenFile | undefined {
  try {
    return guard.openFile(path);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

/** The whole file, or undefined if nothing exists there. For files that are small enough to be compared. */
export const readFile = (guard: PathGuard, path: SafePath): Buffer | undefined =>
  withFile(guard, path, ({ fd, stats }) => readBytes(fd, 0, Number(stats.size)));

/** Whether a file still exists, or is still missing, as before; with `needsVersion` also in the same version. */
export function isAsSeen(
  now: CurrentFile | undefined,
  seen: CurrentFile | undefined,
  needsVersion: boolean,
): boolean {
  if (!now || !seen) return now === seen;
  return !needsVersion || now.etag === seen.etag || isSameLargeFile(now.stats, seen.stats);
}

/** Keeping the old version as a hard link changes the ctime, and with it the etag of a large file. */
const isSameLargeFile = (now: BigIntStats, seen: BigIntStats): boolean =>
  now.size > HASHED_BYTES && now.size === seen.size && now.ino === seen.ino && now.mtimeNs === seen.mtimeNs;

/** The number of other hard links: replacing the file by a rename leaves them with the old content. */
export function countOtherNames(current: CurrentFile | undefined): { other_names?: number } {
  const others = Number(current?.stats.nlink ?? 1n) - 1;
  return others < 1 ? {} : { other_names: others };
}
