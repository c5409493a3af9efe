import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** What lies there may be anybody's: a link is not followed, a pipe not waited for, a huge file not read. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Nothing, if it is no regular file of that size. Throws if it cannot be opened. */
export function readSmallFile(path: string, mostBytes: number): Buffer | undefined {
  const fd = openSync(path, FLAGS);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}
