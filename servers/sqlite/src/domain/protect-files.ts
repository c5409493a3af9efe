import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

import { protectGit } from "@suite/server-kit/domain";

import { MEMORY } from "./database-file.ts";

const SIDE_FILES = ["", "-wal", "-shm", "-journal"];

/** Why a file may not be written. What the server itself works with is known under its other names, too. */
export function protectFiles(files: readonly string[]): (path: string) => string | undefined {
  const own = files.filter((file) => file !== MEMORY).map(toReal);
  const taken = new Set(own.flatMap((file) => SIDE_FILES.map((suffix) => `${file}${suffix}`)));
  return (path) => {
    if (taken.has(path) || own.some((file) => isSame(file, path))) return "it is in use by this server";
    // Settings and hooks there make git run programs, and a table can be made to read like either.
    return protectGit(path) === undefined ? undefined : "it belongs to a git repository's own files";
  };
}

function toReal(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
