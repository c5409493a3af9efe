import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  Fault,
  isWithin,
  type PathGuard,
  quotePath,
  type SafePath,
  type StopSignal,
  TimeSlices,
} from "@suite/server-kit/domain";
import { Folder, type Name } from "./changes/folder.ts";
import { isOnSameVolume } from "./changes/identity.ts";
import { homeOf } from "./changes/trash.ts";

/** Of a directory that is about to go: beyond, it is only said that there are more. */
const MOST_COUNTED_ENTRIES = 100_000;

export interface Measure {
  /** The thing itself, and all below it. */
  entries: number;
  /** In files. */
  bytes: number;
  /** There is more than was counted. */
  isCut: boolean;
}

export async function measureEntry(guard: PathGuard, path: SafePath, signal: StopSignal): Promise<Measure> {
  const measure: Measure = { entries: 0, bytes: 0, isCut: false };
  const { directory, name } = guard.holdParent(path);
  try {
    await add(directory.at(name), measure, new TimeSlices(signal));
    return measure;
  } finally {
    directory.close();
  }
}

async function add(path: Name, measure: Measure, slices: TimeSlices): Promise<void> {
  if (measure.entries >= MOST_COUNTED_ENTRIES) {
    measure.isCut = true;
    return;
  }
  await slices.step();
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  measure.entries += 1;
  if (stats.isFile()) measure.bytes += stats.size;
  if (!stats.isDirectory()) return;
  let folder: Folder;
  try {
    folder = new Folder(path);
  } catch {
    // It cannot be looked into; that is no reason not to move it.
    measure.isCut = true;
    return;
  }
  try {
    for (const name of folder.names()) await add(folder.at(name), measure, slices);
  } finally {
    folder.close();
  }
}

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
