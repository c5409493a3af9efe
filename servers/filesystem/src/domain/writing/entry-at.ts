import type { BigIntStats } from "node:fs";
import { dirname } from "node:path";
import {
  codeOf,
  Fault,
  isWithin,
  type PathGuard,
  quotePath,
  type SafePath,
  toFault,
} from "@suite/server-kit/domain";
import { toMissing } from "../reading/open.ts";
import { kindOf } from "../walking/read-entries.ts";
import { type Identity, isStill, statsOf } from "./changes/identity.ts";
import { endsWith } from "./changes/operations/append.ts";

/** What lies at a path, be it a link; nothing, if nothing does. */
export function lookAtEntry(guard: PathGuard, path: SafePath): BigIntStats | undefined {
  if (guard.roots.includes(path)) return statsOf(path);
  try {
    return withEntry(guard, path, statsOf);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_found") return undefined;
    throw toFault(thrown, quotePath(path));
  }
}

/** Whether something is as a change left it. */
export const isStillAt = (guard: PathGuard, identity: Identity, path: SafePath): boolean =>
  withEntry(guard, path, (at) => isStill(identity, at));

/** Whether a file ends with these bytes. */
export const isEndOf = (guard: PathGuard, path: SafePath, bytes: Buffer): boolean =>
  withEntry(guard, path, (at) => endsWith(at, bytes));

function withEntry<T>(guard: PathGuard, path: SafePath, look: (at: string) => T): T {
  const { directory, name } = guard.holdParent(path);
  try {
    return look(directory.at(name));
  } finally {
    directory.close();
  }
}

export function requireEntry(guard: PathGuard, path: SafePath): BigIntStats {
  const stats = lookAtEntry(guard, path);
  if (!stats) throw toMissing(guard, path);
  return stats;
}

/** The allowed directories, and what holds one of them, stay where they are. */
export function requireBelowRoot(guard: PathGuard, path: SafePath): void {
  const root = guard.roots.find((allowed) => isWithin(allowed, path));
  if (root === undefined) return;
  const what =
    root === path ? "is itself an allowed directory" : `holds the allowed directory ${quotePath(root)}`;
  throw new Fault("permission_denied", `${quotePath(path)} ${what}, and stays where it is`, {
    hint: "Name something inside it.",
  });
}

/** Each is looked at from the root on, so that they take the square of their number in time. Nobody means more. */
const MOST_MISSING = 100;

/** The directories above a path that are not there yet, outermost first. Each must be allowed to be made. */
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
  if (kindOf(stats) === "directory") return true;
  throw new Fault("invalid_input", `${quotePath(path)} is not a directory`, {
    hint: "Nothing can be put below it. Give another path.",
  });
}

function statsIfThere(path: string): BigIntStats | undefined {
  try {
    return statsOf(path);
  } catch (error) {
    // Something above it is not a directory; that is found on the way up.
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

const refuseDepth = (path: SafePath): Fault =>
  new Fault("invalid_input", `More than ${MOST_MISSING} directories above ${quotePath(path)} are missing`, {
    hint: "Nothing was changed. Create the upper ones first, if that is what you mean.",
  });
