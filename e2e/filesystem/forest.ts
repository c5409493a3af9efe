import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createPlace } from "../support/place.ts";

const DIRECTORIES = 20;
const FILES_EACH = 1000;

/** How many files there are in it. */
export const FOREST_SIZE: number = DIRECTORIES * FILES_EACH;

/** So many files that nobody walks through them in a moment. */
export function createForest(): string {
  const folder = createPlace();
  for (let directory = 0; directory < DIRECTORIES; directory += 1) {
    const path = join(folder, `directory-${directory}`);
    mkdirSync(path);
    for (let file = 0; file < FILES_EACH; file += 1)
      writeFileSync(join(path, `file-${file}.txt`), `${file}\n`);
  }
  return folder;
}

/** A file that takes no room on the disk, and all the time in the world to read. */
export function writeHole(path: string, gibibytes: number): string {
  const fd = openSync(path, "w");
  ftruncateSync(fd, gibibytes * 1024 ** 3);
  closeSync(fd);
  return path;
}
