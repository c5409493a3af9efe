import { isUtf8 } from "node:buffer";
import { type Dirent, readdirSync } from "node:fs";
import { platform } from "node:os";
import { findWindowsProblem } from "@suite/server-kit/domain";

export type Kind = "file" | "directory" | "link" | "other";

/** Names by kind, in results. */
export const LISTS = { directory: "directories", file: "files", link: "links", other: "other" } as const;
export type EntryLists = { [list in (typeof LISTS)[Kind]]?: string[] };

/** An entry of a directory. */
export interface NamedEntry {
  /** For a name that is not valid UTF-8, with escaped bytes. */
  readonly name: string;
  readonly kind: Kind;
  /** The name can be listed, but not used in a path: see WHY_BROKEN. */
  readonly isBroken: boolean;
}

const IS_WINDOWS = platform() === "win32";
/** On Windows, names that other systems made there: opening one could open a device, which may never answer. */
export const WHY_BROKEN: string = IS_WINDOWS
  ? "Windows takes its name for something else"
  : "its name is not valid UTF-8";
const REPLACEMENT = "\uFFFD";

/** Everything in a directory, sorted by the bytes of the names. */
export function readEntries(path: string): NamedEntry[] {
  const entries: NamedEntry[] = [];
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name.includes(REPLACEMENT)) return readBytes(path);
    const isBroken = IS_WINDOWS && findWindowsProblem(entry.name) !== undefined;
    entries.push({ name: entry.name, kind: kindOf(entry), isBroken });
  }
  // On other platforms libuv sorts by bytes.
  return IS_WINDOWS ? entries.toSorted(byName) : entries;
}

function readBytes(path: string): NamedEntry[] {
  return readdirSync(path, { withFileTypes: true, encoding: "buffer" })
    .map((entry) => {
      const isBroken = !isUtf8(entry.name);
      return {
        name: isBroken ? toEscaped(entry.name) : entry.name.toString(),
        kind: kindOf(entry),
        isBroken,
      };
    })
    .toSorted(byName);
}

const byName = (a: NamedEntry, b: NamedEntry): number => compareNames(a.name, b.name);

export function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): Kind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Escapes each non-ASCII byte as in \xFF. */
const toEscaped = (name: Buffer): string =>
  name
    .toString("latin1")
    .replaceAll(/[\\\u0080-\u00FF]/g, (byte) =>
      byte === "\\" ? "\\\\" : `\\x${byte.charCodeAt(0).toString(16).toUpperCase()}`,
    );

/** UTF-16 units and UTF-8 bytes sort differently: in UTF-8, characters beyond U+FFFF come last, not before U+E000. */
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;
const rank = (unit: number): number => {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800;
};

/** The order of all listings: by the bytes of the name, as the system's own directory reading sorts them. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}
