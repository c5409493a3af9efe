import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";

import { joinBytes } from "./small-file.ts";

/** Of a file, and of the link that leads to it. What replaces it at its path has another. */
export const stampOf = (file: string): string =>
  [lstatSync, statSync]
    .map((look) => look(file, { bigint: true, throwIfNoEntry: false }))
    .map((stats) => stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join())
    .join();

/** Entries of a directory that a search for links has to know. */
export interface SearchedDirectory {
  readonly entries: number;
  readonly directories: readonly Buffer[];
  readonly links: readonly Buffer[];
}

interface Remembered extends SearchedDirectory {
  readonly stats: Stats;
}

/** Whether it is the same directory, and holds the same entries. */
const isSame = (a: Stats, b: Stats): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs;

/** Time stamps of files advance in steps of up to 10 ms: a second change in the same step would not show. */
const SETTLED_MS = 50;
const MOST_REMEMBERED = 50_000;
const remembered = new Map<string, Remembered>();

/** Reads a directory, unless it is the one that was read before and nothing has changed in it since. */
export function searchDirectory(folder: Buffer): SearchedDirectory | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return undefined;
  const key = folder.toString("latin1");
  const known = remembered.get(key);
  if (known && isSame(known.stats, stats)) return known;
  const found: Dirent<Buffer>[] = readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  const pathsOf = (isWanted: (entry: Dirent<Buffer>) => boolean): readonly Buffer[] =>
    found.filter(isWanted).map(({ name }) => joinBytes(folder, name));
  const searched = {
    stats,
    entries: found.length,
    directories: pathsOf((entry) => entry.isDirectory()),
    links: pathsOf((entry) => entry.isSymbolicLink()),
  };
  remembered.delete(key);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  if (Date.now() - stats.ctimeMs > SETTLED_MS) remembered.set(key, searched);
  return searched;
}
