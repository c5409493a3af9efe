import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { platform } from "node:os";

import { codeOf } from "../errors/code-of.ts";
import type { TimeSlices } from "../timing/time-slices.ts";
import { descriptorPath, hasDescriptorPaths } from "./descriptor-path.ts";
import type { EntryName } from "./open-directory.ts";
import { rename } from "./rename.ts";

/** Suffix of the temporary files that a server writes beside a file. */
export const TEMPORARY_SUFFIX = ".suite-tmp";

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const CHUNK_BYTES = 1024 * 1024;
/** Copying a smaller file is faster than trying to clone it. */
const WORTH_SHARING_BYTES = 64n * 1024n;

/** Without setuid, setgid and sticky: the copy may get another owner. */
const PERMISSIONS = 0o777n;

export interface NewFile {
  /** Must not exist yet. Removed again after a failure. */
  readonly path: EntryName;
  /** The file it replaces: its mode is kept, and its owner if permitted. Without one, the umask decides. */
  readonly like?: BigIntStats | undefined;
  /** true: the times of `like` are kept, too. */
  readonly keepsTimes?: boolean | undefined;
  /** false: skip fsync, for one of many files. Default: true. */
  readonly isDurable?: boolean;
}

/** Writes a new file, or leaves nothing behind if it fails: there must not be one already. */
export function writeNewFile(file: NewFile, bytes: Uint8Array): void {
  const fd = openNew(file);
  try {
    writeAll(fd, bytes);
    finish(fd, file);
  } catch (error) {
    rmSync(file.path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Copies an open file. Clones its blocks if the file system supports that, which is much faster. */
export async function copyToNewFile(
  file: NewFile,
  source: { readonly fd: number; readonly stats: BigIntStats },
  slices?: TimeSlices,
): Promise<void> {
  const { path } = file;
  const isShared = source.stats.size >= WORTH_SHARING_BYTES && share(source.fd, path);
  // A clone has its source's mode, which may forbid writing. What is left to do needs no permission to write.
  const fd = isShared ? openSync(path, O_RDONLY | O_NOFOLLOW) : openNew(file);
  try {
    if (!isShared) await copyAll(source.fd, fd, slices);
    finish(fd, file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

async function copyAll(from: number, to: number, slices: TimeSlices | undefined): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const count = readSync(from, chunk, 0, CHUNK_BYTES, position);
    if (count === 0) return;
    writeAll(to, chunk.subarray(0, count));
    position += count;
    await slices?.look();
  }
}

function share(from: number, path: EntryName): boolean {
  if (!hasDescriptorPaths()) return false;
  try {
    copyFileSync(descriptorPath(from), path, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

const openNew = ({ path, like }: NewFile): number =>
  openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, like ? 0o600 : 0o666);

/** A single `writeSync` may write only a part. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

function finish(fd: number, { like, keepsTimes, isDurable = true }: NewFile): void {
  if (like) {
    const { uid, gid } = fstatSync(fd, { bigint: true });
    if (uid !== like.uid || gid !== like.gid) giveTo(fd, like);
    // After chown, which clears some mode bits.
    fchmodSync(fd, Number(like.mode & PERMISSIONS));
    if (keepsTimes) futimesSync(fd, ...timesOf(like));
  }
  if (isDurable) fsyncSync(fd);
}

/** Arguments for `futimes`: access and modification time in seconds. */
export const timesOf = ({ atimeNs, mtimeNs }: BigIntStats): [number, number] => [
  Number(atimeNs) / 1e9,
  Number(mtimeNs) / 1e9,
];

function giveTo(fd: number, { uid, gid }: BigIntStats): void {
  try {
    fchownSync(fd, Number(uid), Number(gid));
  } catch {
    // Only root may change the owner; otherwise the new file belongs to the server's user, as with editors that save this way.
  }
}

/**
 * Moves a file to a free name, atomically: `rename` would replace a file that was just created there, but `link` fails.
 * Where links are not supported, it takes two steps, and `onTaken` is called between them: a crash there leaves an empty
 * file.
 */
export function moveToFree(from: string, to: string, onTaken?: () => void): void {
  if (GIVES_NAMES_TO_TARGETS && lstatSync(from).isSymbolicLink()) return renameToFree(from, to, onTaken);
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    return renameToFree(from, to, onTaken);
  }
  unlinkSync(from);
}

/** On macOS, `link` of a symbolic link links to its target. */
const GIVES_NAMES_TO_TARGETS = platform() === "darwin";

/** Without `link`: creates an empty file, which fails if the name is taken, and then replaces it. */
function renameToFree(from: string, to: string, onTaken?: () => void): void {
  closeSync(openSync(to, "wx", 0o600));
  try {
    onTaken?.();
    rename(from, to);
  } catch (error) {
    unlinkSync(to);
    throw error;
  }
}

const NO_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Some file systems do not support hard links. */
const hasNoLinks = (error: unknown): boolean => NO_LINKS.has(codeOf(error));
