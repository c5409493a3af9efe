import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  openSync,
  readdirSync,
  utimesSync,
} from "node:fs";
import { platform } from "node:os";

import { descriptorPath, hasDescriptorPaths } from "./descriptor-path.ts";

/** A name or path as the system has it: bytes if it is not valid text. */
export type EntryName = string | Buffer;

/**
 * Never follows a link, never blocks on a pipe, never acquires a controlling terminal. A flag that the platform lacks is
 * undefined, which `|` treats as 0.
 */
export const CAREFUL: number = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
export const CAREFUL_DIRECTORY: number = CAREFUL | constants.O_RDONLY | constants.O_DIRECTORY;

/** Windows' directories have no modes that matter, and changing one through a descriptor fails there, as for times. */
const IS_WINDOWS = platform() === "win32";

/** An open directory for walking a tree. Must be closed. */
export interface WalkedDirectory {
  /** The path of an entry, for calls of node:fs that do not follow links. Without a name: the directory itself, to list it. */
  at(name?: string): string;
  /** Opens a subdirectory. Links are not followed. */
  enter(name: string): WalkedDirectory;
  /** A descriptor to read from. Opening never blocks, not even if a pipe replaced the file. */
  openFile(name: string): number;
  close(): void;
}

/**
 * A directory below a held one. It needs no further check: it is opened from there without following a link, and operations
 * stay in it even if its path is replaced meanwhile. Must be closed.
 */
export class OpenDirectory implements WalkedDirectory {
  readonly #fd: number;
  readonly #path: string;

  constructor(fd: number, path: EntryName) {
    this.#fd = fd;
    this.#path = hasDescriptorPaths() ? descriptorPath(fd) : path.toString();
  }

  static open(path: EntryName): OpenDirectory {
    return new OpenDirectory(openSync(path, CAREFUL_DIRECTORY), path);
  }

  /** Names from `names()` are bytes: other programs may use names that are not valid text. */
  at(name?: string): string;
  at(name: EntryName): EntryName;
  at(name?: EntryName): EntryName {
    if (name === undefined) return this.#path;
    if (typeof name === "string") return `${this.#path}/${name}`;
    return Buffer.concat([Buffer.from(`${this.#path}/`), name]);
  }

  enter(name: EntryName): OpenDirectory {
    return OpenDirectory.open(this.at(name));
  }

  openFile(name: EntryName): number {
    return openSync(this.at(name), CAREFUL | constants.O_RDONLY);
  }

  names(): Buffer[] {
    return readdirSync(this.#path, { encoding: "buffer" });
  }

  stats(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true });
  }

  /** Changes the open directory, even if its path has been replaced. */
  setMode(mode: number): void {
    if (!IS_WINDOWS) fchmodSync(this.#fd, mode);
  }

  /** In seconds. */
  setTimes(accessed: number, modified: number): void {
    if (IS_WINDOWS) utimesSync(this.#path, accessed, modified);
    else futimesSync(this.#fd, accessed, modified);
  }

  /** Gives its owner full access: without write permission, not even the owner can remove entries. */
  unlock(): void {
    const mode = Number(this.stats().mode);
    if ((mode & 0o700) !== 0o700) this.setMode((mode & 0o777) | 0o700);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Flushes changes of a directory's entries to the disk, if the platform can. */
export function syncDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch {
    // The change itself is done; only a power failure could still undo it.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
