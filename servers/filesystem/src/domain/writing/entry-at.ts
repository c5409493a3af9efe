import type { BigIntStats } from "node:fs";
import { Fault, isWithin, quotePath, toFault, type PathGuard, type SafePath } from "@suite/server-kit/domain";
import { toMissing } from "../reading/missing.ts";
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
