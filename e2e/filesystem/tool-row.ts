import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "../support/message.ts";

/** Where a row happens: a project of its own, in a directory that the server may use. */
export interface Scene {
  readonly root: string;
  /** Ends without a slash. */
  readonly folder: string;
}

export interface Step {
  readonly tool: string;
  readonly args: (scene: Scene) => Fields;
}

/** One call of a tool that works. */
export interface ToolRow extends Step {
  /** What the arguments are about. */
  readonly about: string;
  /** Done in advance. */
  readonly before?: readonly Step[];
  /** A part of what a model reads. */
  readonly text: RegExp;
  /** A part of the structured result. */
  readonly structured: (scene: Scene) => Fields;
  /** Kinds of the blocks, where there is more than a text. */
  readonly blocks?: readonly string[];
  /** What is on the disk afterwards, by paths in the folder. */
  readonly disk?: Readonly<Record<string, string | typeof DIRECTORY | typeof NOTHING>>;
}

export const DIRECTORY: unique symbol = Symbol("a directory");
export const NOTHING: unique symbol = Symbol("nothing");

/** What is at these paths. */
export const readDisk = (folder: string, paths: readonly string[]): NonNullable<ToolRow["disk"]> =>
  Object.fromEntries(paths.map((path) => [path, readPath(join(folder, path))]));

function readPath(path: string): string | typeof DIRECTORY | typeof NOTHING {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return NOTHING;
  return stats.isDirectory() ? DIRECTORY : readFileSync(path, "utf8");
}
