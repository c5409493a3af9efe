import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { platform } from "node:os";

const DIRECTORY = "/proc/self/fd";

let isAvailable: boolean | undefined;

/** Whether /proc/self/fd works: Linux shows a descriptor's real path there and accepts it as a path. A sandbox may hide /proc. */
export function hasDescriptorPaths(): boolean {
  isAvailable ??= probe();
  return isAvailable;
}

function probe(): boolean {
  // On Windows anybody may make such a folder.
  if (platform() !== "linux") return false;
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

/** A path to the open file that stays valid when its original path is replaced. */
export const descriptorPath = (fd: number): string => `${DIRECTORY}/${fd}`;

/** The current path of an open file. For a removed one it ends with " (deleted)". */
export const readDescriptorPath = (fd: number): string => readlinkSync(descriptorPath(fd));
