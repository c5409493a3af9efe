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
} from "node:fs";

import { descriptorPath, hasDescriptorPaths } from "./descriptor-path.ts";

/** A name, or a path, as the system has it: it need not be text. */
export type EntryName = string | Buffer;

/**
 * Never through a link, never waiting for the other end of a pipe, never taking a terminal. A flag that the platform lacks is
 * undefined, which adds nothing.
 */
export const CAREFUL: number = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
export const CAREFUL_DIRECTORY: number = CAREFUL | constants.O_RDONLY | constants.O_DIRECTORY;

/** What going down a tree needs of a directory. Close it. */
export interface WalkedDirectory {
  /** The path of an entry, for calls of node:fs that do not follow links. Without a name: the directory itself, to list it. */
  at(name?: string): string;
  /** A directory in this one. A link is not followed. */
  enter(name: string): WalkedDirectory;
  /** A descriptor to read from. Opening never waits, not even for a pipe that took the file's place. */
  openFile(name: string): number;
  close(): void;
}

/**
 * A directory below one that is held, which nobody has to check again: it is reached from there, its own name is never
 * followed as a link, and what is done in it stays in it, whatever is put in its place meanwhile. Close it.
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

  /** Names that other programs gave come as bytes. */
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

  /** Of the directory itself, whatever has its name by now. */
  setMode(mode: number): void {
    fchmodSync(this.#fd, mode);
  }

  /** In seconds. */
  setTimes(accessed: number, modified: number): void {
    futimesSync(this.#fd, accessed, modified);
  }

  /** Even its owner cannot remove anything from a directory that may not be written. */
  unlock(): void {
    const mode = Number(this.stats().mode);
    if ((mode & 0o700) !== 0o700) this.setMode((mode & 0o777) | 0o700);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Makes what happened in a directory last. Not every platform can. */
export function syncDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch {
    // The change itself is done; only a power cut could still take it back.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
