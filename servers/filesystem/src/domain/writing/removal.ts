import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, isWithin, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";
import { isOnSameVolume } from "./changes/identity.ts";
import { homeOf } from "./changes/trash.ts";

const TABLE = "/proc/self/mountinfo";

/** What is mounted at or below a directory belongs to another volume: a deletion would empty that, or stop at it. */
export function requireNoMounts(path: SafePath): void {
  const mount = readMounts().find((directory) => isWithin(directory, path));
  if (mount === undefined) return;
  const what = mount === path ? "is a mount point" : `holds the mount point ${quotePath(mount)}`;
  throw new Fault("unsupported", `${quotePath(path)} ${what}, and is not deleted`, {
    hint: "Nothing was changed. Delete what lies beside the mount point, or have it unmounted.",
  });
}

/** None where the system does not list them: then a removal still stops at other volumes. */
function readMounts(): string[] {
  try {
    return readFileSync(TABLE, "utf8")
      .split("\n")
      .flatMap((line) => line.split(" ")[4] ?? [])
      .map((path) =>
        path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
          String.fromCharCode(Number.parseInt(digits, 8)),
        ),
      );
  } catch {
    return [];
  }
}

export const isTrashNear = (guard: PathGuard, path: SafePath): boolean =>
  isOnSameVolume(homeOf(guard, path), dirname(path));

/** Across volumes nothing can be moved at once, and half of it could be left. */
export function requireTrashNear(guard: PathGuard, path: SafePath, hint: string): void {
  if (isTrashNear(guard, path)) return;
  throw new Fault("unsupported", `${quotePath(path)} is on another volume than the trash`, { hint });
}
