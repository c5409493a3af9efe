import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";

import { Fault } from "../errors/fault.ts";
import type { PathRules, SafePath } from "./path-rules.ts";
import { CAREFUL } from "./open-directory.ts";
import { quotePath } from "./path-text.ts";
import { refuseChanged, toPathFault } from "./refusals.ts";
import { verifyOpen } from "./verify-open.ts";

/** A regular file, to be read, that was inside the boundary when it was opened. Close it. */
export interface OpenFile {
  readonly fd: number;
  /**
   * As it was when opened. `nlink` above 1 means that the file has other names, and that they may be outside: a hard
   * link cannot be told from the first name, so the boundary does not hold against whoever may make one.
   */
  readonly stats: BigIntStats;
  close(): void;
}

export function openFile(path: SafePath, rules: PathRules): OpenFile {
  try {
    requireRegular(lstatSync(path), path);
    const fd = openSync(path, constants.O_RDONLY | CAREFUL);
    verifyOpen(fd, path, rules);
    return toOpenFile(fd, path);
  } catch (error) {
    throw toPathFault(error, path);
  }
}

/** Looked at again once open: what was found before may have been replaced by a pipe since. */
function toOpenFile(fd: number, path: string): OpenFile {
  try {
    const stats = fstatSync(fd, { bigint: true });
    requireRegular(stats, path);
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
