import { lstatSync } from "node:fs";
import { join, parse, sep } from "node:path";

/** Letters that the Mac's file system does not see in a name. */
const UNSEEN = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;
/** Also as Windows reads it: any case, dots, spaces or a stream at the end, the short form of the name. */
const GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;

const REASON =
  "it belongs to a git repository's own files, where a hook or a setting would let git run any program. " +
  "The operator can allow it with --allow-git-writes";

/**
 * A policy for PathGuard's `protect`: nothing at or below `.git`, be it the directory or the file that stands for
 * one, in any spelling that some platform takes for it: a checkout may be shared with that platform. Neither anything at or
 * below a directory that git would take for a repository by what is in it, whatever its name.
 */
export function protectGit(path: string): string | undefined {
  const isGit = path.split(/[\\/]/).some((name) => GIT.test(name.replaceAll(UNSEEN, "")));
  return isGit || isInBareRepository(path) ? REASON : undefined;
}

/** From the top: below what is not there, nothing is, and a path may have thousands of names. */
function isInBareRepository(path: string): boolean {
  const { root } = parse(path);
  let directory = root;
  for (const name of ["", ...path.slice(root.length).split(sep)]) {
    directory = join(directory, name);
    if (!isThere(directory)) return false;
    if (isRepository(directory)) return true;
  }
  return false;
}

/** What git itself asks for. */
const isRepository = (directory: string): boolean =>
  ["HEAD", "objects", "refs"].every((name) => isThere(join(directory, name)));

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
