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
import { type Kind, kindOf } from "../../walking/read-entries.ts";

/** Enough about an entry to tell later whether it is still as a change left it. */
export interface Identity {
  readonly kind: Kind;
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
  /** Of a file that is not too large, of where a link leads, or of all that is in a directory where that counts. */
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

/** With all that is in a directory: for what is to be taken away whole one day. */
export function identifyWhole(path: string): Identity {
  const identity = identify(path);
  return identity.kind === "directory" ? { ...identity, etag: digestTree(path) } : identity;
}

/** Beyond, nobody knows whether it is still the same. */
const MOST_ENTRIES = 100_000;
const UNKNOWN = "unknown";

/** Of names, kinds, sizes and times: reading every file would take too long. */
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
      within(folder.enter(name), add);
      hash.update("}");
    }
  };
  try {
    within(OpenDirectory.open(path), add);
    return hash.digest("base64url").slice(0, 16);
  } catch {
    return UNKNOWN;
  }
}

function within(folder: OpenDirectory, work: (folder: OpenDirectory) => void): void {
  try {
    work(folder);
  } finally {
    folder.close();
  }
}

/**
 * A directory stays itself whatever happens in it, unless all of it was identified; a file that was touched but says the
 * same has not changed.
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

/** Two spellings of one name, where the file system takes them for one: it lists the entry once. */
export function isRespelling(directory: string, a: string, b: string): boolean {
  const fold = (name: string): string => name.normalize("NFC").toLowerCase();
  if (a === b) return true;
  if (fold(a) !== fold(b) || !isSameEntry(join(directory, a), join(directory, b))) return false;
  return readdirSync(directory).filter((name) => fold(name) === fold(a)).length === 1;
}

/** Of directories: what some file systems say about files in them is something else. */
export const isOnSameVolume = (a: string, b: string): boolean => statsOf(a)?.dev === statsOf(b)?.dev;

function readEtag(path: string, stats: BigIntStats): string | undefined {
  if (stats.isSymbolicLink()) return etagOf(readlinkSync(path, "buffer"));
  if (!stats.isFile()) return undefined;
  try {
    const bytes = readSmallFile(path, MOST_HASHED_BYTES);
    return bytes && etagOf(bytes);
  } catch {
    // It may be written but not read, or something else has taken its place.
    return undefined;
  }
}

/** What lies there may be anybody's: a link is not followed, a pipe not waited for, a huge file not read. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Nothing, if it is not a regular file of that size. Throws if it cannot be opened. */
export function readSmallFile(path: string, mostBytes: number): Buffer | undefined {
  const fd = openSync(path, FLAGS);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}
