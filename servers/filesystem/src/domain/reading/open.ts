import { type BigIntStats, lstatSync, opendirSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import {
  etagOf,
  Fault,
  type OpenFile,
  type PathGuard,
  quotePath,
  readBytes,
  type SafePath,
  suggest,
  toFault,
} from "@suite/server-kit/domain";
import { attempt } from "../attempt.ts";
import { closing, withEntry } from "../closing.ts";
import { HASHED_BYTES } from "./limits.ts";

/** Opens a regular file inside the roots. The caller must close it. */
export function openForReading(guard: PathGuard, given: string): { path: SafePath; file: OpenFile } {
  const path = guard.locate(given);
  return { path, file: openLocated(guard, path) };
}

export function openLocated(guard: PathGuard, path: SafePath): OpenFile {
  try {
    return guard.openFile(path);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_found") throw toMissing(guard, path);
    throw thrown;
  }
}

/** Limit of names to search for a similar one. */
const MOST_NAMES = 1000;
/** Comparing two names takes quadratic time. */
const LONGEST_NAME = 64;

/** A fault that says which part of a path is missing, and suggests a similar name. */
export function toMissing(guard: PathGuard, path: SafePath): Fault {
  const { directory, name } = findGap(guard, path);
  const names = listNames(guard, directory);
  if (names === undefined) {
    const hint = `${quotePath(directory)} may not be listed: permission denied.`;
    return new Fault(
      "not_found",
      `${quotePath(path)} does not exist`,
      isThere(guard, directory) ? { hint } : {},
    );
  }
  const similar = name.length > LONGEST_NAME ? undefined : suggest(name, names);
  const meant =
    findWithSlashes(guard, path) ??
    (similar === undefined ? undefined : join(directory, similar, path.slice(join(directory, name).length)));
  const message =
    join(directory, name) === path
      ? `${quotePath(path)} does not exist`
      : `${quotePath(path)} does not exist: there is no ${quotePath(name)} in ${quotePath(directory)}`;
  return new Fault("not_found", message, {
    hint:
      meant === undefined
        ? `See what is there: list_directory ${quotePath(directory)}.`
        : `Did you mean ${quotePath(meant)}?`,
  });
}

/** The path with slashes, as separators of Windows were meant, if it exists. */
function findWithSlashes(guard: PathGuard, path: SafePath): string | undefined {
  const slashed = path.replaceAll("\\", "/");
  if (sep !== "/" || slashed === path) return undefined;
  return listNames(guard, dirname(slashed))?.includes(basename(slashed)) ? slashed : undefined;
}

/** The deepest existing directory of a path, and the name that is missing in it. */
function findGap(guard: PathGuard, path: SafePath): { directory: string; name: string } {
  let directory = dirname(path);
  let name = basename(path);
  while (!guard.roots.includes(join(directory, name)) && listNames(guard, directory, 0) === undefined) {
    if (isThere(guard, directory) || directory === dirname(directory)) break;
    [directory, name] = [dirname(directory), basename(directory)];
  }
  return { directory, name };
}

/** Whether it is a directory, though perhaps one that may not be listed. */
const isThere = (guard: PathGuard, directory: string): boolean =>
  attempt(() =>
    guard.roots.includes(directory)
      ? lstatSync(directory).isDirectory()
      : lookAtEntry(guard, directory as SafePath)?.isDirectory(),
  ) === true;

/** undefined if the directory is missing, outside or not readable. */
const listNames = (guard: PathGuard, path: string, most: number = MOST_NAMES): string[] | undefined =>
  attempt(() => closing(guard.holdDirectory(path as SafePath), (held) => readNames(held.at(), most)));

function readNames(path: string, most: number): string[] {
  const names: string[] = [];
  const entries = opendirSync(path);
  try {
    for (let seen = 0; seen < most; seen += 1) {
      const entry = entries.readSync();
      if (entry === null) break;
      if (entry.name.length <= LONGEST_NAME) names.push(entry.name);
    }
    return names;
  } finally {
    entries.closeSync();
  }
}

/** The entry at a path, without following a link and with its directory held open; undefined if there is none. */
export function lookAtEntry(guard: PathGuard, path: SafePath): BigIntStats | undefined {
  try {
    return guard.roots.includes(path)
      ? closing(guard.holdDirectory(path), (held) => statSync(held.at(), { bigint: true }))
      : withEntry(guard, path, (at) => lstatSync(at, { bigint: true, throwIfNoEntry: false }));
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_found") return undefined;
    throw toFault(thrown, quotePath(path));
  }
}

/** The same, but throws a fault that suggests a similar name if there is none. */
export function requireEntry(guard: PathGuard, path: SafePath): BigIntStats {
  const stats = lookAtEntry(guard, path);
  if (!stats) throw toMissing(guard, path);
  return stats;
}

/**
 * Identifies a version of a file. For files up to HASHED_BYTES it is a hash of the content, so that two writes within one clock
 * tick differ; for larger ones it is made from size, times and inode. `whole`: the content, if already read.
 */
export function fileEtag(file: OpenFile, whole?: Uint8Array): string {
  const { size, mtimeNs, ctimeNs, ino } = file.stats;
  if (whole !== undefined && whole.length <= HASHED_BYTES) return etagOf(whole);
  if (size <= HASHED_BYTES) return etagOf(readBytes(file.fd, 0, Number(size)));
  return `stat-${etagOf(Buffer.from(`${size} ${mtimeNs} ${ctimeNs} ${ino}`))}`;
}
