import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";

import {
  descriptorPath,
  hasDescriptorPaths,
  type HeldDirectory,
  type PathGuard,
  type SafePath,
} from "@suite/server-kit/domain";

/**
 * A directory that stays the same one while it is walked, whatever its path is made to name meanwhile. What is below it
 * is opened from here and never through a link, so no swap on the way leads out of the boundary. Close it.
 */
export interface OpenDirectory {
  /** For calls of node:fs that follow no link. Without a name: the directory itself. */
  at(name?: string): string;
  child(name: string): OpenDirectory;
  /** A descriptor to read from. Opening never waits, not even for a pipe that took the file's place. */
  openFile(name: string): number;
  close(): void;
}

const CAREFUL = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const DIRECTORY = CAREFUL | constants.O_DIRECTORY;

export function openDirectory(guard: PathGuard, path: SafePath): OpenDirectory {
  const held = guard.holdDirectory(path);
  const base = held.at();
  return hasDescriptorPaths() ? fromDescriptor(base, () => held.close()) : fromPath(guard, held);
}

/** Linux: a descriptor is a path, so everything below is opened relative to it. */
function fromDescriptor(base: string, close: () => void): OpenDirectory {
  return {
    at: (name) => (name === undefined ? base : `${base}/${name}`),
    child(name) {
      const fd = openSync(`${base}/${name}`, DIRECTORY);
      return fromDescriptor(descriptorPath(fd), () => closeSync(fd));
    },
    openFile: (name) => openSync(`${base}/${name}`, CAREFUL),
    close,
  };
}

/** Elsewhere the guard looks at each thing that is opened, once it is open. */
function fromPath(guard: PathGuard, held: HeldDirectory): OpenDirectory {
  const locate = (name: string): SafePath => guard.locateExact(join(held.path, name), { follow: false });
  return {
    at: (name) => held.at(name),
    child: (name) => fromPath(guard, guard.holdDirectory(locate(name))),
    openFile: (name) => guard.openFile(locate(name)).fd,
    close: () => held.close(),
  };
}
