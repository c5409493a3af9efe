import { type EntryName, OpenDirectory, TimeSlices } from "@suite/server-kit/domain";
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";

/** What could not be removed: its path below the start, and what the system said. */
export interface Leftover {
  readonly below: string;
  readonly error: unknown;
}

/** Removes an entry with all that is in it. No link is followed, be it put there in this very moment. */
export async function removeTree(path: EntryName): Promise<void> {
  const [first] = await removeWhatGoes(path);
  if (first) throw first.error;
}

/** The same, but what cannot be removed keeps nothing else from it. Returns what is left. */
export async function removeWhatGoes(path: EntryName): Promise<Leftover[]> {
  const left: Leftover[] = [];
  // Half a removal helps nobody, so nothing stops it.
  await remove(path, "", { slices: new TimeSlices(AbortSignal.any([])), left });
  return left;
}

interface Removal {
  readonly slices: TimeSlices;
  readonly left: Leftover[];
  /** What is mounted inside belongs to another volume, and stays. */
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
  const folder = OpenDirectory.open(path);
  try {
    folder.unlock();
    for (const name of folder.names()) {
      await remove(folder.at(name), below === "" ? name.toString() : `${below}/${name.toString()}`, removal);
    }
  } finally {
    folder.close();
  }
}
