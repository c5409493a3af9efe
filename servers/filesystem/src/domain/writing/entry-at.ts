import type { BigIntStats } from "node:fs";
import { dirname, sep } from "node:path";
import { codeOf, Fault, isWithin, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";
import { statsOf } from "./changes/identity.ts";

/** Allowed directories, and directories that contain one, cannot be moved or deleted. */
export function requireBelowRoot(guard: PathGuard, path: SafePath): void {
  const root = guard.roots.find((allowed) => isWithin(allowed, path));
  if (root === undefined) return;
  const what =
    root === path ? "is itself an allowed directory" : `contains the allowed directory ${quotePath(root)}`;
  throw new Fault("permission_denied", `${quotePath(path)} ${what}, so it cannot be moved or deleted`, {
    hint: "Name something inside it.",
  });
}

/** Whether a path ends with a slash, or with `.` or `..` after one. Resolving it drops them. */
export const isDirectoryPath = (given: string): boolean =>
  /^\.{0,2}$/.test(given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf(sep)) + 1));

/** The path of a file that is to be written. */
export function locateFile(guard: PathGuard, given: string): SafePath {
  const path = guard.locate(given, { intent: "write" });
  if (!isDirectoryPath(given)) return path;
  throw new Fault("invalid_input", `${quotePath(path)} would be a file, but the path ends with /, . or ..`, {
    hint: "Give the full path of the file, or use create_directory.",
  });
}

/** Each is checked from the root down, which takes quadratic time. */
const MOST_MISSING = 100;

/** The missing directories above a path, outermost first. Throws if one may not be created. */
export function findMissingParents(guard: PathGuard, path: SafePath): SafePath[] {
  const missing: SafePath[] = [];
  for (let above = dirname(path); !isDirectory(above); above = dirname(above)) {
    if (above === dirname(above)) break;
    missing.unshift(guard.locateExact(above, { intent: "write" }));
    if (missing.length > MOST_MISSING) throw refuseDepth(path);
  }
  return missing;
}

function isDirectory(path: string): boolean {
  const stats = statsIfThere(path);
  if (stats === undefined) return false;
  if (stats.isDirectory()) return true;
  throw new Fault("invalid_input", `${quotePath(path)} is not a directory`, {
    hint: "Nothing can be created below it. Give another path.",
  });
}

function statsIfThere(path: string): BigIntStats | undefined {
  try {
    return statsOf(path);
  } catch (error) {
    // A parent is not a directory; the caller finds it on the way up.
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

const refuseDepth = (path: SafePath): Fault =>
  new Fault("invalid_input", `More than ${MOST_MISSING} directories above ${quotePath(path)} are missing`, {
    hint: "Nothing was changed. Create the upper ones first, if this is intended.",
  });
