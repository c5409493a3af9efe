import { dirname } from "node:path";
import { Fault, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";
import { kindOf, statsOf } from "./changes/identity.ts";

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
  const stats = look(path);
  if (stats === undefined) return false;
  if (kindOf(stats) === "directory") return true;
  throw new Fault("invalid_input", `${quotePath(path)} is not a directory`, {
    hint: "Nothing can be put below it. Give another path.",
  });
}

function look(path: string): ReturnType<typeof statsOf> {
  try {
    return statsOf(path);
  } catch (error) {
    // Something above it is no directory; that is found on the way up.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

const refuseDepth = (path: SafePath): Fault =>
  new Fault("invalid_input", `More than ${MOST_MISSING} directories above ${quotePath(path)} are missing`, {
    hint: "Nothing was changed. Create the upper ones first, if that is what you mean.",
  });
