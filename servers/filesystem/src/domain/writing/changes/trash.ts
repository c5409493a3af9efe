import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  codeOf,
  Fault,
  type HeldDirectory,
  OpenDirectory,
  outermostRoot,
  type PathGuard,
  type SafePath,
  toFault,
} from "@suite/server-kit/domain";
import { isChangeId } from "./change-record.ts";
import { statsOf } from "./identity.ts";
import { TRASH_NAME } from "../../reserved-names.ts";

/** The folder of one root in which each change has a folder of its own. Close it. */
export interface Trash {
  readonly root: string;
  readonly folder: OpenDirectory;
}

/** With the first change of a root; the others find it there. */
export function createTrash(guard: PathGuard, root: string): Trash {
  return withRoot(guard, root, (held) => {
    const path = held.at(TRASH_NAME);
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw toTrashFault(error, root);
    }
    const trash = openFolder(path, root);
    try {
      hideFromGit(trash.folder);
      return trash;
    } catch (error) {
      trash.folder.close();
      throw toTrashFault(error, root);
    }
  });
}

/** Nobody wants it in a repository. Written whole or not at all: an empty file would hide nothing. */
function hideFromGit(folder: OpenDirectory): void {
  const path = folder.at(".gitignore");
  if (statsOf(path)) return;
  const temporary = folder.at(".gitignore.tmp");
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, "*\n", { flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    // Another process that makes its first change at this moment has put the same there, or taken ours.
    if (["EEXIST", "ENOENT"].includes(String(codeOf(error)))) return;
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Nothing, if no change was made yet, or the root itself is not there. */
export function openTrash(guard: PathGuard, root: string): Trash | undefined {
  if (!statsOf(root)) return undefined;
  return withRoot(guard, root, (held) => {
    const path = held.at(TRASH_NAME);
    return statsOf(path) && openFolder(path, root);
  });
}

/** The same where one that cannot be used must not keep others from being looked at. */
export function openQuietly(guard: PathGuard, root: string): Trash | undefined {
  try {
    return openTrash(guard, root);
  } catch {
    return undefined;
  }
}

/** Newest first. */
export const changeIds = ({ folder }: Trash): string[] =>
  folder
    .names()
    .map(String)
    .filter(isChangeId)
    .toSorted((a, b) => (a < b ? 1 : -1));

/** The outermost of the roots around a path: with roots inside each other, all share one trash. */
export const homeOf = (guard: PathGuard, path: string): string => outermostRoot(guard.roots, path) ?? path;

function withRoot<T>(guard: PathGuard, root: string, work: (held: HeldDirectory) => T): T {
  const held = guard.holdDirectory(root as SafePath);
  try {
    return work(held);
  } finally {
    held.close();
  }
}

/** A repository could bring a link of this name along, and have its files replaced elsewhere. */
function openFolder(path: string, root: string): Trash {
  try {
    return { root, folder: OpenDirectory.open(path) };
  } catch (error) {
    throw new Fault("permission_denied", `${join(root, TRASH_NAME)} is not a directory that can be used`, {
      hint: "The server keeps there what it needs to undo changes. Remove what lies in its place.",
      cause: error,
    });
  }
}

function toTrashFault(error: unknown, root: string): Fault {
  const { code, message, details } = toFault(error, join(root, TRASH_NAME));
  return new Fault(code, message, {
    hint:
      code === "unavailable"
        ? "The server keeps there what it needs to undo changes. delete_file with permanent frees space without it."
        : "The server keeps there what it needs to undo changes. Start it with a directory it may write in.",
    ...(details && { details }),
    cause: error,
  });
}
