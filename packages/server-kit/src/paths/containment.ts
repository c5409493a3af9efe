import { platform } from "node:os";
import { sep } from "node:path";

/**
 * Windows takes two cases for one name everywhere. Elsewhere it depends on the volume, so only the spelling counts: real
 * paths have the one that is on the disk.
 */
const fold = platform() === "win32" ? (path: string): string => path.toLowerCase() : (path: string) => path;

/** Whether a path is a directory or below it: `/root-evil` is not in `/root`. Both absolute. */
export function isWithin(path: string, directory: string): boolean {
  const [inner, outer] = [fold(path), fold(directory)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** The root around a path that no other root around it lies above; undefined if the path is in none of them. */
export const outermostRoot = (roots: readonly string[], path: string): string | undefined =>
  roots.filter((root) => isWithin(path, root)).toSorted((a, b) => a.length - b.length)[0];
