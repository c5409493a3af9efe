import { lstatSync, type Stats } from "node:fs";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { toMissing } from "../reading/missing.ts";

/** Where a path leads, and what is there; a fault with the nearest name if nothing is. */
export function locateExisting(
  guard: PathGuard,
  given: string,
): { readonly path: SafePath; readonly stats: Stats } {
  const path = guard.locate(given);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) throw toMissing(guard, path);
  return { path, stats };
}
