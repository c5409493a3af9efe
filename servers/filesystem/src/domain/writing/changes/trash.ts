import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  codeOf,
  Fault,
  OpenDirectory,
  outermostRoot,
  type PathGuard,
  rename,
  type SafePath,
  toFault,
} from "@suite/server-kit/domain";
import { closing } from "../../closing.ts";
import { isChangeId } from "./change-record.ts";
import { statsOf } from "./identity.ts";
import { TRASH_NAME } from "../../reserved-names.ts";

/** A folder in a root that holds one folder per change. Must be closed. */
export interface Trash {
  readonly root: string;
  readonly folder: OpenDirectory;
}

/** Opens the trash; creates it for the first change of a root. */
export function createTrash(guard: PathGuard, root: string): Trash {
  return closing(guard.holdDirectory(root as SafePath), (held) => {
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

/** Keeps the trash out of repositories. Written atomically: an empty .gitignore would hide nothing. */
function hideFromGit(folder: OpenDirectory): void {
  const path = folder.at(".gitignore");
  if (statsOf(path)) return;
  const temporary = folder.at(".gitignore.tmp");
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, "*\n", { flag: "wx" });
    rename(temporary, path);
  } catch (error) {
    // Another process is doing the same at this moment.
    if (["EEXIST", "ENOENT"].includes(String(codeOf(error)))) return;
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** undefined if there was no change yet, or the root does not exist. */
export function openTrash(guard: PathGuard, root: string): Trash | undefined {
  if (!statsOf(root)) return undefined;
  return closing(guard.holdDirectory(root as SafePath), (held) => {
    const path = held.at(TRASH_NAME);
    return statsOf(path) && openFolder(path, root);
  });
}

/** Newest first. */
export const changeIds = ({ folder }: Trash): string[] =>
  folder
    .names()
    .map(String)
    .filter(isChangeId)
    .toSorted((a, b) => (a < b ? 1 : -1));

/** The outermost root that contains the path: nested roots share one trash. */
export const homeOf = (guard: PathGuard, path: string): string => outermostRoot(guard.roots, path) ?? path;

/** Does not follow links: a repository could contain a link of this name that points elsewhere. */
function openFolder(path: string, root: string): Trash {
  try {
    return { root, folder: OpenDirectory.open(path) };
  } catch (error) {
    throw new Fault("permission_denied", `${join(root, TRASH_NAME)} is not a usable directory`, {
      hint: "The server stores undo data there. Remove what is in its place.",
      cause: error,
    });
  }
}

function toTrashFault(error: unknown, root: string): Fault {
  const { code, message, details } = toFault(error, join(root, TRASH_NAME));
  return new Fault(code, message, {
    hint:
      code === "unavailable"
        ? "The server stores undo data there. delete_file with permanent frees space without it."
        : "The server stores undo data there. Start it with a directory it may write to.",
    ...(details && { details }),
    cause: error,
  });
}
