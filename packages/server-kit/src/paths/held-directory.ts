import { closeSync, constants, openSync } from "node:fs";
import { basename, join } from "node:path";

import { Fault } from "../errors/fault.ts";
import type { PathRules, SafePath } from "./path-rules.ts";
import { descriptorPath } from "./descriptor-path.ts";
import { CAREFUL, CAREFUL_DIRECTORY, OpenDirectory, type WalkedDirectory } from "./open-directory.ts";
import { quoteGiven, quotePath } from "./path-text.ts";
import { refuseChanged, toPathFault } from "./refusals.ts";
import { isSameFile, verifyOpen } from "./verify-open.ts";

/** A directory that stays the same one, whatever its path is made to name meanwhile. Close it. */
export interface HeldDirectory extends WalkedDirectory {
  /** Where it was when it was opened. */
  readonly path: SafePath;
  /**
   * The path of an entry, for calls of node:fs in this process, until `close`. The way to the entry is safe, but the entry
   * may be a link: use calls that do not follow one (lstat, readlink, unlink, rename, mkdir, open with O_NOFOLLOW),
   * and none that goes deeper by itself (rm and cp of whole trees): that is what `enter` is for.
   * Without a name: the directory itself, to list it.
   */
  at(name?: string): string;
  /** Holds a directory in this one. A link is not followed. */
  enter(name: string): HeldDirectory;
}

export const holdDirectory = (path: SafePath, rules: PathRules): HeldDirectory => hold(path, path, rules);

/** Without paths of descriptors, each thing that is opened below it is looked at, once it is open. */
export function walkDirectory(path: SafePath, rules: PathRules): WalkedDirectory {
  if (!rules.hasDescriptorPaths) return holdDirectory(path, rules);
  const { fd, actual } = open(path, path, rules);
  return new OpenDirectory(fd, actual);
}

/** `way` is what the system is told to open, `path` what it is called. */
function hold(way: string, path: string, rules: PathRules): HeldDirectory {
  const { fd, actual } = open(way, path, rules);
  let isOpen = true;
  const at = (name?: string): string => {
    // The number may stand for another directory by now.
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
    return { fd, actual: verifyOpen(fd, path, rules) as SafePath };
  } catch (error) {
    throw toPathFault(error, path);
  }
}

/** `..`, or a name with a separator or a drive in it, would leave the directory again. */
function requireName(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("\0") || name !== basename(name)) {
    throw new Fault("invalid_input", `${quoteGiven(name)} is not the name of an entry in a directory`);
  }
  return name;
}

/**
 * For systems where no path can start at a descriptor. A window remains between this look and the call that uses the path:
 * another process that may write to the directory's parent can put a link in its place there.
 */
function requireUnmoved(fd: number, path: string): string {
  if (!isSameFile(fd, path)) throw refuseChanged(path);
  return path;
}
