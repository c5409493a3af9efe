import { closeSync, constants, openSync, readlinkSync } from "node:fs";

const DIRECTORY = "/proc/self/fd";

let isAvailable: boolean | undefined;

/** Linux shows what a descriptor really is, and lets its name stand for it. Asked once: a sandbox may hide /proc. */
export function hasDescriptorPaths(): boolean {
  isAvailable ??= probe();
  return isAvailable;
}

function probe(): boolean {
  let fd: number | undefined;
  try {
    fd = openSync("/", constants.O_RDONLY);
    return readlinkSync(`${DIRECTORY}/${fd}`) === "/";
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** A name for what the descriptor holds, that stays true when its path is replaced. */
export const descriptorPath = (fd: number): string => `${DIRECTORY}/${fd}`;

/** Where the system says that an open file is now. A removed one ends with " (deleted)". */
export const readDescriptorPath = (fd: number): string => readlinkSync(descriptorPath(fd));
