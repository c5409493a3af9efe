import { closeSync, fstatSync, realpathSync, statSync } from "node:fs";

import { type PathRules, requireInside, requireUnprotected } from "./path-rules.ts";
import { readDescriptorPath } from "./descriptor-path.ts";
import { refuseChanged } from "./refusals.ts";

const REMOVED = " (deleted)";

/**
 * Asks where an open descriptor really lies, and closes it if that is not inside. The path was checked before, but
 * somebody may have replaced a part of it since: only what was opened counts.
 */
export function verifyOpen(fd: number, path: string, rules: PathRules): string {
  try {
    const actual = rules.hasDescriptorPaths ? readDescriptorPath(fd) : requireSamePath(fd, path);
    // Replaced by its next version just now: the one before it was at this path as well. Not so a root: beside it,
    // somebody may have a directory of that very name.
    const isReplaced = actual === path + REMOVED && !rules.roots.real.includes(path);
    const place = isReplaced ? path : actual;
    // Even of the path that was asked for: another guard may have located it.
    requireInside(place, path, rules);
    if (place === path) return path;
    if (place.endsWith(REMOVED)) throw refuseChanged(path);
    // A path that was protected all along was located for reading. One that became so was redirected.
    if (rules.protect(path) === undefined) requireUnprotected(actual, path, rules);
    return actual;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * For systems that do not show what a descriptor is: the path's real path now, if that is a name of the very thing that
 * was opened. These are two looks, and a window remains between them: whoever puts a link in the path's way for the opening,
 * takes it away for the first look and brings it back for the second gets past them.
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
