import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";

import { Fault } from "../errors/fault.ts";
import type { PathRules, SafePath } from "./path-rules.ts";
import { CAREFUL } from "./open-directory.ts";
import { quotePath } from "./path-text.ts";
import { refuseChanged, toPathFault } from "./refusals.ts";
import { verifyOpen } from "./verify-open.ts";

/** A regular file, open for reading, that was inside the roots when it was opened. Must be closed. */
export interface OpenFile {
  readonly fd: number;
  /**
   * As of opening. `nlink` above 1 means that the file has other names, possibly outside: hard links are indistinguishable,
   * so the guard cannot protect against a process that may create one.
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

/** Checks the type again once open: a pipe may have replaced the file since `lstat`. */
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
  // Its links were followed when it was located, so it was replaced since.
  if (found.isSymbolicLink()) throw refuseChanged(path);
  if (found.isDirectory()) {
    const message = `${quotePath(path)} is a directory, not a file`;
    throw new Fault("invalid_input", message, { hint: "List it, or name a file in it." });
  }
  const kind = KINDS.find(([test]) => found[test]())?.[1] ?? "something else";
  throw new Fault("unsupported", `${quotePath(path)} is ${kind}, not a regular file, and is never opened`);
}
