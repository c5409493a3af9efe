import { TimeSlices } from "@suite/server-kit/domain";
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { Folder, type Name } from "./folder.ts";

/** Removes an entry with all that is in it. No link is followed, be it put there in this very moment. */
export async function removeTree(path: Name, slices: TimeSlices = unstoppable()): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  await slices.step();
  if (!stats.isDirectory()) {
    unlinkSync(path);
    return;
  }
  const folder = new Folder(path);
  try {
    folder.unlock();
    for (const name of folder.names()) await removeTree(folder.at(name), slices);
  } finally {
    folder.close();
  }
  rmdirSync(path);
}

/** Half a removal helps nobody. */
const unstoppable = (): TimeSlices => new TimeSlices(AbortSignal.any([]));
