import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { ToolRow } from "../support/tool-rows.ts";

/** Where a row happens: a project of its own, in a directory that the server may use. */
export interface ProjectScene {
  readonly root: string;
  /** Ends without a slash. */
  readonly folder: string;
}

/** A call of a tool of the filesystem server. */
export interface FilesystemRow extends ToolRow<ProjectScene> {
  /** Called in advance. */
  readonly before?: readonly Pick<FilesystemRow, "tool" | "args">[];
  /** What is on the disk afterwards, by paths in the folder. */
  readonly disk?: Readonly<Record<string, string | typeof DIRECTORY | typeof NOTHING>>;
}

export const DIRECTORY: unique symbol = Symbol("a directory");
export const NOTHING: unique symbol = Symbol("nothing");

/** What is at these paths. */
export const readDisk = (folder: string, paths: readonly string[]): NonNullable<FilesystemRow["disk"]> =>
  Object.fromEntries(paths.map((path) => [path, readPath(join(folder, path))]));

function readPath(path: string): string | typeof DIRECTORY | typeof NOTHING {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return NOTHING;
  return stats.isDirectory() ? DIRECTORY : readFileSync(path, "utf8");
}
