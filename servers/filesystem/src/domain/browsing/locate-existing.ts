import { lstatSync, type Stats } from "node:fs";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { toMissing } from "../reading/missing.ts";

/** Where a path that was located leads to, and what is there; a fault with the nearest name if nothing is. */
export function requireExisting(
  guard: PathGuard,
  path: SafePath,
): { readonly path: SafePath; readonly stats: Stats } {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) throw toMissing(guard, path);
  return { path, stats };
}
