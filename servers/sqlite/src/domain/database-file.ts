import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";

import type { AccessMode } from "./protocol/statements.ts";

export const MEMORY = ":memory:";

export interface DatabaseFile {
  /** Absolute and without links, or `:memory:`. */
  readonly file: string;
  readonly mode: AccessMode;
}

export interface FileRules {
  readonly readOnly: boolean;
  readonly create: boolean;
}

/** A problem with the files that the operator must fix. */
export class DatabaseSetupError extends Error {
  override readonly name = "DatabaseSetupError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Checked at startup, so that a wrong name ends the program instead of failing every call. */
export function locateDatabase(path: string, rules: FileRules): DatabaseFile {
  if (path === MEMORY) return { file: MEMORY, mode: "create" };
  const stats = inspect(path);
  if (!stats) return locateMissing(path, rules);
  if (stats.isDirectory()) {
    throw new DatabaseSetupError(`${path} is a directory, not a database`, "Name the file itself.");
  }
  if (!stats.isFile()) {
    throw new DatabaseSetupError(`${path} is not a regular file`, "Name a database file.");
  }
  requireDatabase(path);
  return { file: realpathSync(path), mode: rules.readOnly || !isWritable(path) ? "read" : "write" };
}

/** Undefined if there is no such file. */
function inspect(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    // In Node's words: "ELOOP: too many symbolic links encountered, stat 'a.db'".
    const why = /^\w+: (.*), stat /.exec((thrown as Error).message)?.[1] ?? "cannot be opened";
    throw new DatabaseSetupError(`${path}: ${why}`, "Name a database file.");
  }
}

function locateMissing(path: string, { create, readOnly }: FileRules): DatabaseFile {
  if (!create) {
    throw new DatabaseSetupError(`${path} does not exist`, "Name a database that exists, or add --create.");
  }
  if (readOnly) {
    throw new DatabaseSetupError(
      `${path} does not exist, and --read-only creates no files`,
      "Leave out --read-only once, or name a database that exists.",
    );
  }
  const file = targetOf(resolve(path));
  const directory = dirname(file);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new DatabaseSetupError(
      `${file} cannot be created: its directory does not exist`,
      "Create the directory first.",
    );
  }
  if (!isOpenToNewFiles(directory)) {
    throw new DatabaseSetupError(
      `${file} cannot be created: its directory is not writable`,
      "Choose another directory.",
    );
  }
  return { file, mode: "create" };
}

/** Where a link to a missing file leads. */
function targetOf(file: string): string {
  try {
    return targetOf(resolve(dirname(file), readlinkSync(file)));
  } catch {
    return file;
  }
}

const HEADER = Buffer.from("SQLite format 3\0");

/** An empty file is an empty database. */
function requireDatabase(path: string): void {
  const header = readHeader(path);
  if (header.length === 0 || header.equals(HEADER)) return;
  throw new DatabaseSetupError(`${path} is not an SQLite database`, "It is something else, or encrypted.");
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER.length);
  try {
    const fd = openSync(path, "r");
    try {
      return header.subarray(0, readSync(fd, header, 0, header.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    throw new DatabaseSetupError(`${path} cannot be read`, "The server's user needs permission to read it.");
  }
}

/** Tested by opening it: permissions are not the only obstacle. */
function isWritable(file: string): boolean {
  try {
    closeSync(openSync(file, "r+"));
    return true;
  } catch {
    return false;
  }
}

function isOpenToNewFiles(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** `name=FILE`, or only FILE, which is then named after the file. */
export function splitName(given: string): { readonly name: string; readonly path: string } {
  const [, chosen, path = given] = /^([A-Za-z0-9_-]+)=(.+)$/.exec(given) ?? [];
  return { name: chosen ?? toName(path), path };
}

/** Keeps a `name=` in front. */
export function toAbsolute(folder: string, given: string): string {
  const { path } = splitName(given);
  return path === MEMORY ? given : `${given.slice(0, -path.length)}${resolve(folder, path)}`;
}

/** A name that needs no escaping in a URI. */
const toName = (path: string): string =>
  path === MEMORY ? "memory" : basename(path, extname(path)).replaceAll(/[^A-Za-z0-9_-]/g, "_") || "main";
