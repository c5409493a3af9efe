import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { basename, join } from "node:path";

import { Fault } from "../errors/fault.ts";
import type { PathRules, SafePath } from "./path-rules.ts";
import { descriptorPath } from "./descriptor-path.ts";
import { CAREFUL, CAREFUL_DIRECTORY, OpenDirectory, type WalkedDirectory } from "./open-directory.ts";
import { quoteGiven, quotePath } from "./path-text.ts";
import { refuseChanged, toPathFault } from "./refusals.ts";
import { isSameFile, verifyOpen } from "./verify-open.ts";

/** An open directory: stays the same one even if its path is replaced meanwhile. Must be closed. */
export interface HeldDirectory extends WalkedDirectory {
  /** Its path when it was opened. */
  readonly path: SafePath;
  /**
   * The path of an entry, for calls of node:fs in this process, until `close`. The path to the entry is safe, but the entry
   * may be a link: use calls that do not follow links (lstat, readlink, unlink, rename, mkdir, open with O_NOFOLLOW),
   * and no recursive ones (rm and cp of whole trees): use `enter` instead.
   * Without a name: the directory itself, to list it.
   */
  at(name?: string): string;
  /** Holds a subdirectory. Links are not followed. */
  enter(name: string): HeldDirectory;
}

export const holdDirectory = (path: SafePath, rules: PathRules): HeldDirectory => hold(path, path, rules);

/** Without descriptor paths, `holdDirectory` verifies every file and directory below it after opening. */
export function walkDirectory(path: SafePath, rules: PathRules): WalkedDirectory {
  if (!rules.hasDescriptorPaths) return holdDirectory(path, rules);
  const { fd, actual } = open(path, path, rules);
  return new OpenDirectory(fd, actual);
}

/** `way` is the path passed to `open`, `path` the real one for checks and messages. */
function hold(way: string, path: string, rules: PathRules): HeldDirectory {
  const { fd, actual } = open(way, path, rules);
  let isOpen = true;
  const at = (name?: string): string => {
    // The descriptor's number may have been reused.
    if (!isOpen) throw new Error(`${quotePath(actual)} was used after it was closed`);
    const directory = rules.hasDescriptorPaths ? descriptorPath(fd) : requireUnmoved(fd, actual);
    return name === undefined ? directory : join(directory, requireName(name));
  };
  return {
    path: actual,
    at,
    enter: (name) => hold(at(name), join(actual, name), rules),
    openFile(name) {
      const opened = openSync(at(name), CAREFUL | constants.O_RDONLY);
      if (!rules.hasDescriptorPaths) verifyOpen(opened, join(actual, name), rules);
      return opened;
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

function open(
  way: string,
  path: string,
  rules: PathRules,
): { readonly fd: number; readonly actual: SafePath } {
  try {
    const fd = openSync(way, CAREFUL_DIRECTORY);
    const actual = verifyOpen(fd, path, rules) as SafePath;
    // Windows has no such flag.
    if (constants.O_DIRECTORY || fstatSync(fd).isDirectory()) return { fd, actual };
    closeSync(fd);
    throw Object.assign(new Error("Not a directory"), { code: "ENOTDIR" });
  } catch (error) {
    throw toPathFault(error, path);
  }
}

/** `..`, or a name with a separator or a drive in it, would leave the directory. */
function requireName(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("\0") || name !== basename(name)) {
    throw new Fault("invalid_input", `${quoteGiven(name)} is not the name of an entry in a directory`);
  }
  return name;
}

/**
 * For systems without descriptor paths. A race remains between this check and the call that uses the path: a process that
 * may write to the directory's parent can replace the directory with a link in between.
 */
function requireUnmoved(fd: number, path: string): string {
  if (!isSameFile(fd, path)) throw refuseChanged(path);
  return path;
}
