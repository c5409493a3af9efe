import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is at a path: what kind of thing, who may do what, and its bytes or where it leads. */
export interface DiskEntry {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly mode: number;
  readonly content: Buffer;
  /** Of a directory: another one under the same name is another thing. */
  readonly inode?: bigint;
}

export type DiskSnapshot = ReadonlyMap<string, DiskEntry>;

/** Of the server itself: it says nothing about the files that it serves. */
const OWN = ".suite-trash";

/** Everything below a folder, and the folder. */
export function takeSnapshot(folder: string): DiskSnapshot {
  const entries = new Map<string, DiskEntry>();
  const ahead = [folder];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const entry = describe(path);
    entries.set(path, entry);
    if (entry.kind !== "directory") continue;
    const names = readdirSync(path).filter((name) => name !== OWN);
    ahead.push(...names.map((name) => join(path, name)));
  }
  return entries;
}

function describe(path: string): DiskEntry {
  const stats = lstatSync(path, { bigint: true });
  const mode = Number(stats.mode & 0o7777n);
  if (stats.isDirectory()) return { kind: "directory", mode, content: Buffer.alloc(0), inode: stats.ino };
  if (stats.isSymbolicLink()) return { kind: "link", mode, content: Buffer.from(readlinkSync(path)) };
  if (!stats.isFile()) return { kind: "other", mode, content: Buffer.alloc(0) };
  return { kind: "file", mode, content: readFileSync(path) };
}

const isSame = (one: DiskEntry | undefined, other: DiskEntry | undefined): boolean =>
  one?.kind === other?.kind &&
  one?.mode === other?.mode &&
  one?.inode === other?.inode &&
  (one === undefined || other === undefined || one.content.equals(other.content));

/** Paths at which something is different. */
export const changesBetween = (before: DiskSnapshot, after: DiskSnapshot): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !isSame(before.get(path), after.get(path)))
    .toSorted();

/** Paths of what is no longer there, or not wholly: more may have come behind what was in a file. */
export const lossesBetween = (before: DiskSnapshot, after: DiskSnapshot): readonly string[] =>
  [...before].filter(([path, entry]) => !isKept(entry, after.get(path))).map(([path]) => path);

const isKept = (old: DiskEntry, now: DiskEntry | undefined): boolean =>
  now?.kind === old.kind &&
  now.mode === old.mode &&
  now.inode === old.inode &&
  now.content.subarray(0, old.content.length).equals(old.content);

/**
 * Without what lies in directories that came or went as a whole, and so is said with their names, unless it is named
 * itself: whoever makes a directory and another in it may name both.
 */
export function withoutInner(
  paths: readonly string[],
  named: readonly string[],
  before: DiskSnapshot,
  after: DiskSnapshot,
): readonly string[] {
  const isWhole = (path: string): boolean =>
    named.includes(path) && before.get(path)?.inode !== after.get(path)?.inode;
  const isInner = (path: string): boolean => {
    for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
      if (isWhole(above)) return true;
    }
    return false;
  };
  return paths.filter((path) => named.includes(path) || !isInner(path));
}
