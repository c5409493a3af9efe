import { type EntryName, OpenDirectory, TimeSlices } from "@suite/server-kit/domain";
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { closing } from "../../closing.ts";

/** An entry that could not be removed: its path relative to the start, and the system's error. */
export interface Leftover {
  readonly below: string;
  readonly error: unknown;
}

/** Removes an entry with everything in it. Never follows a link, even if one is put there meanwhile. */
export async function removeTree(path: EntryName): Promise<void> {
  const [first] = await removeWhatGoes(path);
  if (first) throw first.error;
}

/** The same, but continues after a failure. Returns what is left. */
export async function removeWhatGoes(path: EntryName): Promise<Leftover[]> {
  const left: Leftover[] = [];
  // Cannot be cancelled: a partial removal helps nobody.
  await remove(path, "", { slices: new TimeSlices(AbortSignal.any([])), left });
  // Not every system has deleted what it says it has: on some, a file that a program has open stays.
  if (left.length === 0 && lstatSync(path, { throwIfNoEntry: false })) {
    left.push({ below: "", error: Object.assign(new Error("It is still there"), { code: "EBUSY" }) });
  }
  return left;
}

interface Removal {
  readonly slices: TimeSlices;
  readonly left: Leftover[];
  /** Entries on other volumes, mounted inside, are not removed. */
  volume?: number;
}

async function remove(path: EntryName, below: string, removal: Removal): Promise<void> {
  const { slices, left } = removal;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return;
    await slices.step();
    if (!stats.isDirectory()) {
      unlinkSync(path);
      return;
    }
    removal.volume ??= stats.dev;
    if (stats.dev !== removal.volume) throw Object.assign(new Error("A mount point"), { code: "EXDEV" });
    const before = left.length;
    await empty(path, below, removal);
    if (left.length === before) rmdirSync(path);
  } catch (error) {
    left.push({ below, error });
  }
}

async function empty(path: EntryName, below: string, removal: Removal): Promise<void> {
  await closing(OpenDirectory.open(path), async (folder) => {
    folder.unlock();
    for (const name of folder.names()) {
      await remove(folder.at(name), below === "" ? name.toString() : `${below}/${name.toString()}`, removal);
    }
  });
}
