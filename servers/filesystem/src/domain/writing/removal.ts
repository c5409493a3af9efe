import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { dirname } from "node:path";
import { Fault, isWithin, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";
import { isOnSameVolume } from "./changes/identity.ts";
import { homeOf } from "./changes/trash.ts";

/** Elsewhere it is a file that anybody may write, on Windows on every drive. */
const TABLE = platform() === "linux" ? "/proc/self/mountinfo" : undefined;

/** Refuses mount points at or below a directory: deleting would empty the mounted volume, or stop there. */
export function requireNoMounts(path: SafePath): void {
  const mount = readMounts().find((directory) => isWithin(directory, path));
  if (mount === undefined) return;
  const what = mount === path ? "is a mount point" : `contains the mount point ${quotePath(mount)}`;
  throw new Fault("unsupported", `${quotePath(path)} ${what}, so it is not deleted`, {
    hint: "Nothing was changed. Delete what lies beside the mount point, or have it unmounted.",
  });
}

/** Empty if the system does not list mounts: removal still stops at other volumes. */
function readMounts(): string[] {
  if (TABLE === undefined) return [];
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

/** Why a move or an undo between volumes cannot be undone, if the trash is not on the volume where something is deleted. */
export const BETWEEN_VOLUMES = "between volumes, so that nothing was kept";

export const isTrashNear = (guard: PathGuard, path: SafePath): boolean =>
  isOnSameVolume(homeOf(guard, path), dirname(path));

/** A move across volumes is not atomic and could stop halfway. */
export function requireTrashNear(guard: PathGuard, path: SafePath, hint: string): void {
  if (isTrashNear(guard, path)) return;
  throw new Fault("unsupported", `${quotePath(path)} is on a different volume than the trash`, { hint });
}
