import { lstatSync } from "node:fs";
import {
  type EntryName,
  OpenDirectory,
  type PathGuard,
  type SafePath,
  type StopSignal,
  TimeSlices,
} from "@suite/server-kit/domain";
import { closing, withEntry } from "../closing.ts";

/** With more entries, counting stops and `isCut` is set. */
const MOST_COUNTED_ENTRIES = 100_000;

export interface Measure {
  /** The entry itself and everything below it. */
  entries: number;
  files: number;
  directories: number;
  /** Total size of the files. */
  bytes: number;
  /** The real numbers are higher: counting was cut short. */
  isCut: boolean;
}

export async function measureEntry(guard: PathGuard, path: SafePath, signal: StopSignal): Promise<Measure> {
  const measure: Measure = { entries: 0, files: 0, directories: 0, bytes: 0, isCut: false };
  await withEntry(guard, path, (at) => add(at, measure, new TimeSlices(signal)));
  return measure;
}

async function add(path: EntryName, measure: Measure, slices: TimeSlices): Promise<void> {
  if (measure.entries >= MOST_COUNTED_ENTRIES) {
    measure.isCut = true;
    return;
  }
  await slices.step();
  let folder: OpenDirectory;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return;
    measure.entries += 1;
    if (stats.isFile()) {
      measure.files += 1;
      measure.bytes += stats.size;
    }
    if (!stats.isDirectory()) return;
    measure.directories += 1;
    folder = OpenDirectory.open(path);
  } catch {
    // Unreadable entries can still be moved: only mark the count as incomplete.
    measure.isCut = true;
    return;
  }
  await closing(folder, async () => {
    for (const name of folder.names()) await add(folder.at(name), measure, slices);
  });
}
