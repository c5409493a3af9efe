import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const MOST_LINKS = 40;

/**
 * The real path of something that need not exist: that of the deepest directory that does, and the rest as written.
 * It follows links wherever they lead, so it is for the operator's paths only.
 */
export function settlePath(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || links > MOST_LINKS || path === dirname(path)) throw error;
    const parent = settlePath(dirname(path), links);
    const entry = join(parent, basename(path));
    const isLink = lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? settlePath(resolve(parent, readlinkSync(entry)), links + 1) : entry;
  }
}
