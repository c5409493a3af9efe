import { closeSync, fstatSync, realpathSync, statSync } from "node:fs";

import { type PathRules, requireInside, requireUnprotected } from "./path-rules.ts";
import { readDescriptorPath } from "./descriptor-path.ts";
import { refuseChanged } from "./refusals.ts";

const REMOVED = " (deleted)";

/**
 * Gets the real path of an open descriptor, and closes it if that is not inside. The path was checked before opening, but
 * a part of it may have been replaced since.
 */
export function verifyOpen(fd: number, path: string, rules: PathRules): string {
  try {
    const actual = rules.hasDescriptorPaths ? readDescriptorPath(fd) : requireSamePath(fd, path);
    // A new version just replaced the file: the open one was at this path too. Not for a root: a directory beside it
    // may really be named "… (deleted)".
    const isReplaced = actual === path + REMOVED && !rules.roots.real.includes(path);
    const place = isReplaced ? path : actual;
    // Also if the path is unchanged: it may have been located by another guard.
    requireInside(place, path, rules);
    if (place === path) return path;
    if (place.endsWith(REMOVED)) throw refuseChanged(path);
    // If the given path is protected itself, it was located for reading. Otherwise it was redirected to a protected one.
    if (rules.protect(path) === undefined) requireUnprotected(actual, path, rules);
    return actual;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * For systems without descriptor paths: the current real path, if it names the same file that was opened. A race remains: an
 * attacker who puts a link in place for the opening, removes it for `realpath` and restores it for `stat` is not detected.
 */
function requireSamePath(fd: number, path: string): string {
  const real = realpathSync.native(path);
  if (!isSameFile(fd, real)) throw refuseChanged(path);
  return real;
}

export function isSameFile(fd: number, path: string): boolean {
  const opened = fstatSync(fd, { bigint: true });
  const named = statSync(path, { bigint: true, throwIfNoEntry: false });
  return named?.dev === opened.dev && named.ino === opened.ino;
}
