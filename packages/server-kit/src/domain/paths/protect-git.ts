import { lstatSync } from "node:fs";
import { join, parse, sep } from "node:path";

/** Characters that macOS's HFS+ ignores in names. */
const UNSEEN = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;
/** Includes spellings that Windows accepts: any case, trailing dots, spaces or a stream, the 8.3 name. */
const GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;

const RISK =
  "where a hook or a setting would let git run any program. The operator can allow it with --allow-git-writes";
const OWN = `it belongs to a git repository's own files, ${RISK}`;
const COMPLETING = `it would make its directory a git repository, ${RISK}`;

/**
 * A policy for PathGuard's `protect`. Refuses everything at or below `.git`, directory or file, in any spelling that some
 * platform accepts: a checkout may be shared with that platform. Also refuses everything at or below a directory of any name
 * that git would recognize as a repository by its contents, and entries that would make it one.
 */
export function protectGit(path: string): string | undefined {
  const isGit = path.split(/[\\/]/).some((name) => GIT.test(toSeen(name)));
  return isGit ? OWN : findBareRepository(path);
}

const toSeen = (name: string): string => name.replaceAll(UNSEEN, "");

/** From the top, to stop at the first missing directory: a path may have thousands of names. */
function findBareRepository(path: string): string | undefined {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let directory = root;
  for (const [index, name] of ["", ...names].entries()) {
    directory = join(directory, name);
    if (!isThere(directory)) return undefined;
    if (isRepository(directory, names[index])) return isRepository(directory) ? OWN : COMPLETING;
  }
  return undefined;
}

/** The same test as git's. `added`: an entry to be created in it; ignored if it already exists. */
function isRepository(directory: string, added = ""): boolean {
  // Ignore case: the volume may be case-insensitive.
  const next = toSeen(added).toLowerCase();
  const has = (name: string): boolean =>
    isThere(join(directory, name)) || (name.toLowerCase() === next && !isThere(join(directory, added)));
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
