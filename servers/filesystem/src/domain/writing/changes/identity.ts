import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { join } from "node:path";
import { etagOf, OpenDirectory } from "@suite/server-kit/domain";
import { closing } from "../../closing.ts";
import { type Kind, kindOf } from "../../walking/read-entries.ts";

/** Enough about an entry to find out later whether it is still as a change left it. */
export interface Identity {
  readonly kind: Kind;
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
  /** Of the content of a small file, of a link's target, or, from `identifyWhole`, of a directory's tree. */
  readonly etag?: string;
}

const MOST_HASHED_BYTES = 4 * 1024 * 1024;

export const statsOf = (path: string): BigIntStats | undefined =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false });

export function identify(path: string): Identity {
  const etag = readEtag(path, lstatSync(path, { bigint: true }));
  return { ...identifyBriefly(path), ...(etag !== undefined && { etag }) };
}

/** The same without reading the file. */
export function identifyBriefly(path: string): Identity {
  const stats = lstatSync(path, { bigint: true });
  return {
    kind: kindOf(stats),
    inode: String(stats.ino),
    size: Number(stats.size),
    modified: String(stats.mtimeNs),
  };
}

/** Includes everything in a directory: for entries that an undo may remove as a whole. */
export function identifyWhole(path: string): Identity {
  const identity = identify(path);
  return identity.kind === "directory" ? { ...identity, etag: digestTree(path) } : identity;
}

/** A larger tree gets the etag UNKNOWN, which never matches. */
const MOST_ENTRIES = 100_000;
const UNKNOWN = "unknown";

/** Hashes names, inodes, sizes and times: reading every file would take too long. */
function digestTree(path: string): string {
  const hash = createHash("sha256");
  let entries = 0;
  const add = (folder: OpenDirectory): void => {
    for (const name of folder.names()) {
      const stats = lstatSync(folder.at(name), { bigint: true });
      const isDirectory = stats.isDirectory();
      hash.update(name).update(isDirectory ? "/{" : `/${stats.ino} ${stats.size} ${stats.mtimeNs};`);
      entries += 1;
      if (entries > MOST_ENTRIES) throw new Error("There is too much in it");
      if (!isDirectory) continue;
      closing(folder.enter(name), add);
      hash.update("}");
    }
  };
  try {
    closing(OpenDirectory.open(path), add);
    return hash.digest("base64url").slice(0, 16);
  } catch {
    return UNKNOWN;
  }
}

/**
 * A directory is the same whatever happens in it, unless `identifyWhole` was used. A small file with new times but the same
 * content has not changed.
 */
export function isStill(identity: Identity, path: string): boolean {
  const stats = statsOf(path);
  if (!stats || kindOf(stats) !== identity.kind) return false;
  const isSameInode = String(stats.ino) === identity.inode;
  if (identity.kind === "directory") {
    const { etag } = identity;
    return isSameInode && (etag === undefined || (etag !== UNKNOWN && digestTree(path) === etag));
  }
  if (identity.etag !== undefined) return readEtag(path, stats) === identity.etag;
  return isSameInode && Number(stats.size) === identity.size && String(stats.mtimeNs) === identity.modified;
}

export const isSameEntry = (a: string, b: string): boolean => {
  const [first, second] = [statsOf(a), statsOf(b)];
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
};

/** Whether two spellings are one name to the file system: then it lists the entry once. */
export function isRespelling(directory: string, a: string, b: string): boolean {
  const fold = (name: string): string => name.normalize("NFC").toLowerCase();
  if (a === b) return true;
  if (fold(a) !== fold(b) || !isSameEntry(join(directory, a), join(directory, b))) return false;
  return readdirSync(directory).filter((name) => fold(name) === fold(a)).length === 1;
}

/** For directories only: some file systems report another device for the files in them. */
export const isOnSameVolume = (a: string, b: string): boolean => statsOf(a)?.dev === statsOf(b)?.dev;

function readEtag(path: string, stats: BigIntStats): string | undefined {
  if (stats.isSymbolicLink()) return etagOf(readlinkSync(path, "buffer"));
  if (!stats.isFile()) return undefined;
  try {
    const bytes = readSmallFile(path, MOST_HASHED_BYTES);
    return bytes && etagOf(bytes);
  } catch {
    // It is not readable, or was replaced by something else.
    return undefined;
  }
}

/** The file may be another program's: do not follow links or block on a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** undefined if it is not a regular file or larger than `mostBytes`. Throws if it cannot be opened. */
export function readSmallFile(path: string, mostBytes: number): Buffer | undefined {
  const fd = openSync(path, FLAGS);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}
