import { dirname } from "node:path";
import { Fault, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";
import { isOnSameVolume } from "./changes/identity.ts";
import { homeOf } from "./changes/trash.ts";

export const isTrashNear = (guard: PathGuard, path: SafePath): boolean =>
  isOnSameVolume(homeOf(guard, path), dirname(path));

/** Across volumes nothing can be moved at once, and half of it could be left. */
export function requireTrashNear(guard: PathGuard, path: SafePath, hint: string): void {
  if (isTrashNear(guard, path)) return;
  throw new Fault("unsupported", `${quotePath(path)} is on another volume than the trash`, { hint });
}
