import { lstatSync, readlinkSync, type BigIntStats } from "node:fs";
import { etagOf } from "@suite/server-kit/domain";
import { readSmallFile } from "./read-small-file.ts";

export type EntryKind = "file" | "directory" | "link" | "other";

/** Enough about an entry to tell later whether it is still as a change left it. */
export interface Identity {
  readonly kind: EntryKind;
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
  /** Of a file that is not too large, or of where a link leads. */
  readonly etag?: string;
}

const MOST_HASHED_BYTES = 4 * 1024 * 1024;

export const statsOf = (path: string): BigIntStats | undefined =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false });

export function kindOf(stats: BigIntStats): EntryKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}

export function identify(path: string): Identity {
  const stats = lstatSync(path, { bigint: true });
  const etag = readEtag(path, stats);
  return {
    kind: kindOf(stats),
    inode: String(stats.ino),
    size: Number(stats.size),
    modified: String(stats.mtimeNs),
    ...(etag !== undefined && { etag }),
  };
}

/** A directory stays itself whatever happens in it; a file that was touched but says the same has not changed. */
export function isStill(identity: Identity, path: string): boolean {
  const stats = statsOf(path);
  if (!stats || kindOf(stats) !== identity.kind) return false;
  const isSameInode = String(stats.ino) === identity.inode;
  if (identity.kind === "directory") return isSameInode;
  if (identity.etag !== undefined) return readEtag(path, stats) === identity.etag;
  return isSameInode && Number(stats.size) === identity.size && String(stats.mtimeNs) === identity.modified;
}

export const isSameEntry = (a: string, b: string): boolean => {
  const [first, second] = [statsOf(a), statsOf(b)];
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
};

/** Of directories: what some file systems say about files in them is something else. */
export const isOnSameVolume = (a: string, b: string): boolean => statsOf(a)?.dev === statsOf(b)?.dev;

function readEtag(path: string, stats: BigIntStats): string | undefined {
  if (stats.isSymbolicLink()) return etagOf(Buffer.from(readlinkSync(path)));
  if (!stats.isFile()) return undefined;
  try {
    const bytes = readSmallFile(path, MOST_HASHED_BYTES);
    return bytes && etagOf(bytes);
  } catch {
    // It may be written but not read, or something else has taken its place.
    return undefined;
  }
}
