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
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { platform } from "node:os";

import { codeOf } from "../errors/code-of.ts";
import type { TimeSlices } from "../processes/time-slices.ts";
import { descriptorPath, hasDescriptorPaths } from "./descriptor-path.ts";
import type { EntryName } from "./open-directory.ts";

/** Ends the name of whatever a server puts beside a file for a moment. */
export const TEMPORARY_SUFFIX = ".suite-tmp";

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const CHUNK_BYTES = 1024 * 1024;
/** Smaller files are copied in less time than it takes to ask whether they can be shared. */
const WORTH_SHARING_BYTES = 64n * 1024n;

/** Whoever gives a file away gives away who it runs as: those bits are never passed on. */
const PERMISSIONS = 0o777n;

export interface NewFile {
  /** Must not be there yet. Nothing is left of it after a failure. */
  readonly path: EntryName;
  /** The file whose place it takes: its mode stays, and its owner if we may. Without one, the umask decides. */
  readonly like?: BigIntStats | undefined;
  /** true: its times stay, too. */
  readonly keepsTimes?: boolean | undefined;
  /** false: one of many, where waiting for the disk each time would take minutes. */
  readonly isDurable?: boolean;
}

export function writeNewFile(file: NewFile, bytes: Uint8Array): void {
  use(file.path, openNew(file), (fd) => {
    writeAll(fd, bytes);
    finish(fd, file);
  });
}

/** What an open file holds. Shares the blocks where the file system can, which takes no time. */
export async function copyToNewFile(
  file: NewFile,
  source: { readonly fd: number; readonly stats: BigIntStats },
  slices?: TimeSlices,
): Promise<void> {
  const { path } = file;
  if (source.stats.size >= WORTH_SHARING_BYTES && share(source.fd, path)) {
    use(path, openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW), (fd) => {
      finish(fd, file);
    });
    return;
  }
  const fd = openNew(file);
  try {
    await copyAll(source.fd, fd, slices);
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

function use(path: EntryName, fd: number, work: (fd: number) => void): void {
  try {
    work(fd);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** A single write may take less than it was given. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

function finish(fd: number, { like, keepsTimes, isDurable = true }: NewFile): void {
  if (like) {
    const { uid, gid } = fstatSync(fd, { bigint: true });
    if (uid !== like.uid || gid !== like.gid) giveTo(fd, like);
    // After the owner: changing that takes some bits away.
    fchmodSync(fd, Number(like.mode & PERMISSIONS));
    if (keepsTimes) futimesSync(fd, ...timesOf(like));
  }
  if (isDurable) fsyncSync(fd);
}

/** As the calls that set them take them: in seconds, the last access first. */
export const timesOf = ({ atimeNs, mtimeNs }: BigIntStats): [number, number] => [
  Number(atimeNs) / 1e9,
  Number(mtimeNs) / 1e9,
];

function giveTo(fd: number, { uid, gid }: BigIntStats): void {
  try {
    fchownSync(fd, Number(uid), Number(gid));
  } catch {
    // Only root may; for everybody else the new file is their own, as with any editor that saves this way.
  }
}

/**
 * To a name that nobody has. A rename would replace what somebody else has put there a moment ago; a second name can be given
 * only where it is free. `onTaken`: called where that takes two steps, between them: ended there, an empty file remains.
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

/** A second name for a symbolic link becomes one for what it leads to. */
const GIVES_NAMES_TO_TARGETS = platform() === "darwin";

/** Where links cannot be made: the name is taken first, which fails if somebody has it, and then replaced. */
function renameToFree(from: string, to: string, onTaken?: () => void): void {
  closeSync(openSync(to, "wx", 0o600));
  try {
    onTaken?.();
    renameSync(from, to);
  } catch (error) {
    unlinkSync(to);
    throw error;
  }
}

const NO_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Some file systems know one name for each file. */
const hasNoLinks = (error: unknown): boolean => NO_LINKS.has(codeOf(error));
