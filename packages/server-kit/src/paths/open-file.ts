import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  type Stats,
} from "node:fs";
import { basename, dirname } from "node:path";

import { Fault } from "../errors/fault.ts";
import { type PathRules, requireUnprotected, type SafePath } from "./path-rules.ts";
import { holdDirectory } from "./held-directory.ts";
import { CAREFUL } from "./open-directory.ts";
import { quotePath } from "./path-text.ts";
import { refuseChanged, toPathFault } from "./refusals.ts";
import { verifyOpen } from "./verify-open.ts";

/** A regular file that was inside the boundary when it was opened. Close it. */
export interface OpenFile {
  readonly fd: number;
  /**
   * As it was when opened. `nlink` above 1 means that the file has other names, and that they may be outside: a hard
   * link cannot be told from the first name, so the boundary does not hold against whoever may make one.
   */
  readonly stats: BigIntStats;
  close(): void;
}

const { O_CREAT, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY } = constants;
const WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

export function openFile(path: SafePath, flags: number, mode: number, rules: PathRules): OpenFile {
  try {
    return (flags & WRITING) === 0 ? openToRead(path, flags, rules) : openToWrite(path, flags, mode, rules);
  } catch (error) {
    throw toPathFault(error, path);
  }
}

function openToRead(path: SafePath, flags: number, rules: PathRules): OpenFile {
  requireRegular(lstatSync(path), path);
  const fd = openSync(path, flags | CAREFUL);
  verifyOpen(fd, path, rules);
  return toOpenFile(fd, path, false);
}

/** Through the held parent: opening to write must not even touch a file outside, least of all create or empty it. */
function openToWrite(path: SafePath, flags: number, mode: number, rules: PathRules): OpenFile {
  requireUnprotected(path, path, rules);
  const parent = holdDirectory(dirname(path) as SafePath, rules);
  try {
    const entry = parent.at(basename(path));
    const found = lstatSync(entry, { throwIfNoEntry: false });
    if (found && (flags & O_EXCL) === 0) requireRegular(found, path);
    // Emptied only once it is known to be what was asked for.
    const fd = openSync(entry, (flags & ~O_TRUNC) | CAREFUL, mode);
    // There the parent is held by its path: an empty file may have come to be outside, but nothing is written to it.
    if (!rules.hasDescriptorPaths) verifyOpen(fd, path, rules);
    return toOpenFile(fd, path, (flags & O_TRUNC) !== 0);
  } finally {
    parent.close();
  }
}

/** Looked at again once open: what was found before may have been replaced by a pipe since. */
function toOpenFile(fd: number, path: string, isEmptied: boolean): OpenFile {
  try {
    const stats = fstatSync(fd, { bigint: true });
    requireRegular(stats, path);
    if (isEmptied) ftruncateSync(fd);
    let isOpen = true;
    return {
      fd,
      stats,
      close() {
        if (isOpen) closeSync(fd);
        isOpen = false;
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

const KINDS = [
  ["isFIFO", "a named pipe"],
  ["isSocket", "a socket"],
  ["isCharacterDevice", "a device"],
  ["isBlockDevice", "a device"],
] as const;

function requireRegular(found: Stats | BigIntStats, path: string): void {
  if (found.isFile()) return;
  // Located with its links followed, so it became one since.
  if (found.isSymbolicLink()) throw refuseChanged(path);
  if (found.isDirectory()) {
    const message = `${quotePath(path)} is a directory, not a file`;
    throw new Fault("invalid_input", message, { hint: "List it instead." });
  }
  const kind = KINDS.find(([test]) => found[test]())?.[1] ?? "something else";
  throw new Fault("unsupported", `${quotePath(path)} is ${kind}, not a regular file, and is never opened`);
}
