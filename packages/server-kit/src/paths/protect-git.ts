import { lstatSync } from "node:fs";
import { join, parse, sep } from "node:path";

/** Letters that the Mac's file system does not see in a name. */
const UNSEEN = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;
/** Also as Windows reads it: any case, dots, spaces or a stream at the end, the short form of the name. */
const GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;

const RISK =
  "where a hook or a setting would let git run any program. The operator can allow it with --allow-git-writes";
const OWN = `it belongs to a git repository's own files, ${RISK}`;
const COMPLETING = `with it, its directory would be a git repository, ${RISK}`;

/**
 * A policy for PathGuard's `protect`: nothing at or below `.git`, be it the directory or the file that stands for
 * one, in any spelling that some platform takes for it: a checkout may be shared with that platform. Neither anything at or
 * below a directory that git would take for a repository by what is in it, whatever its name, nor what would make it one.
 */
export function protectGit(path: string): string | undefined {
  const isGit = path.split(/[\\/]/).some((name) => GIT.test(toSeen(name)));
  return isGit ? OWN : findBareRepository(path);
}

const toSeen = (name: string): string => name.replaceAll(UNSEEN, "");

/** From the top: below what is not there, nothing is, and a path may have thousands of names. */
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

/** What git itself asks for. `added`: a name that it will have, and adds nothing where it is there already. */
function isRepository(directory: string, added = ""): boolean {
  // In any case: the disk may take two for one.
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
