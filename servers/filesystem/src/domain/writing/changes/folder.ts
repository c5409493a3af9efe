import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  type BigIntStats,
} from "node:fs";
import { descriptorPath, hasDescriptorPaths } from "@suite/server-kit/domain";

/** Flags that a platform lacks are undefined, which adds nothing. */
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A name as the system has it: it need not be text. */
export type Name = string | Buffer;

/**
 * An open directory below one that the guard holds. Its own name is never followed as a link, and what is done in it
 * stays in it, whatever is put in its place meanwhile. Close it.
 */
export class Folder {
  readonly #path: string;
  readonly #fd: number;

  constructor(path: string | Buffer) {
    this.#fd = openSync(path, FLAGS);
    this.#path = hasDescriptorPaths() ? descriptorPath(this.#fd) : path.toString();
  }

  /** The path of an entry, for calls that do not follow links. Names of other programs come as bytes. */
  at(name: string): string;
  at(name: Name): Name;
  at(name: Name): Name {
    if (typeof name === "string") return `${this.#path}/${name}`;
    return Buffer.concat([Buffer.from(`${this.#path}/`), name]);
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

  /** Even its owner cannot remove anything from a directory that may not be written. */
  unlock(): void {
    const mode = Number(this.stats().mode);
    if ((mode & 0o700) !== 0o700) this.setMode((mode & 0o777) | 0o700);
  }

  open(name: Name): Folder {
    return new Folder(this.at(name));
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
