import { Fault, type OpenFile, type PathGuard, type SafePath } from "@suite/server-kit/domain";
import { toMissing } from "./missing.ts";

/** Opens a regular file inside the boundary. Whoever gets it closes it. */
export function openForReading(guard: PathGuard, given: string): { path: SafePath; file: OpenFile } {
  const path = guard.locate(given);
  return { path, file: openLocated(guard, path) };
}

export function openLocated(guard: PathGuard, path: SafePath): OpenFile {
  try {
    return guard.openFile(path);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_found") throw toMissing(guard, path);
    throw thrown;
  }
}
