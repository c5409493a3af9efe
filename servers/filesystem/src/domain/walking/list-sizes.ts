import { lstatSync } from "node:fs";
import { join } from "node:path";

import {
  fromCursor,
  isText,
  type PageEnd,
  type PathGuard,
  type StopSignal,
  toPathText,
} from "@suite/server-kit/domain";

import { measureEntry } from "./measure-tree.ts";
import { compareNames, type Kind, type NamedEntry } from "./read-entries.ts";
import { markOf, toWalkEnd } from "./landmark.ts";
import { Room } from "./room.ts";
import { fromStart, type PageRequest, toReport, type WalkReport } from "./start.ts";
import { type VisitedDirectory, walk } from "./walk.ts";

export type SizeOrder = "name" | "size";

export interface SizeRequest extends PageRequest {
  readonly sort?: SizeOrder | undefined;
  /** Include sizes of directories with everything in them. */
  readonly recursive?: boolean | undefined;
}

export interface SizedEntry {
  readonly name: string;
  readonly type: Kind;
  /** For files, and with `recursive` for directories. */
  readonly size?: number;
  /** The real size is larger: counting was cut short. */
  readonly is_lower_bound?: true;
}

/** For the whole directory, not for one page; with `recursive` for everything below it. */
interface Totals {
  readonly total_files: number;
  readonly total_directories: number;
  readonly total_size: number;
  /** Not everything could be measured. */
  readonly is_lower_bound?: true;
}

export interface SizesPage extends PageEnd, WalkReport, Totals {
  readonly path: string;
  readonly entries: SizedEntry[];
}

const DEFAULT_LIMIT = 1000;

/** One directory with the sizes of its files. Every page measures everything, because the totals cover the whole directory. */
export async function listSizes(
  guard: PathGuard,
  request: SizeRequest,
  signal: StopSignal,
): Promise<SizesPage> {
  const { path = ".", sort = "name", respect_gitignore: respectIgnore = true, recursive = false } = request;
  const { limit = DEFAULT_LIMIT } = request;
  const about = { sizes: path, sort, respectIgnore, recursive };
  const all: SizedEntry[] = [];
  const below: Below = { files: 0, directories: 0 };
  return fromStart(guard, path, async (start) => {
    const addDirectory = async ({ name, kind: type }: NamedEntry): Promise<undefined> => {
      const directory = guard.locateExact(join(start, name), { follow: false });
      const { bytes, isCut, ...measured } = await measureEntry(guard, directory, signal);
      below.files += measured.files;
      // Without the entry itself.
      below.directories += Math.max(measured.directories - 1, 0);
      all.push({ name, type, size: bytes, ...(isCut && { is_lower_bound: true }) });
    };
    const result = await walk(guard, start, { signal, respectIgnore, depth: 1 }, (entry, parent) => {
      if (recursive && entry.kind === "directory" && !entry.isBroken) return addDirectory(entry);
      all.push(measure(entry, parent));
      return undefined;
    });
    const compare = ORDERS[sort];
    const names = all.map(({ name }) => name);
    // If the last entry is gone, its size, and with it its place in the order, is unknown.
    const isPlace = (value: unknown): value is string =>
      isText(value) && (sort === "name" || names.includes(value));
    const last = fromCursor(request.cursor, about, isPlace, (short) =>
      names.filter((name) => Array.isArray(short) && markOf(name) === short[0]),
    );
    const after = all.find(({ name }) => name === last) ?? (last && { name: last, type: "file" as const });
    const rest = all.toSorted(compare).filter((entry) => !after || compare(entry, after) > 0);
    const room = new Room(request.budget, toPathText(start));
    const end = rest.findIndex((entry, index) => index === limit || !room.take(entry, 20));
    const entries = end < 0 ? rest : rest.slice(0, end);
    return {
      path: toPathText(start),
      entries: entries.map((entry) => ({ ...entry, name: toPathText(entry.name) })),
      ...totalsOf(all, below, recursive),
      ...toWalkEnd(entries.length < rest.length, entries.at(-1)?.name, about),
      ...toReport({ guard, path, start }, result, room),
    };
  });
}

function measure(
  { name, kind: type, isBroken }: NamedEntry,
  { directory, skipped }: VisitedDirectory,
): SizedEntry {
  if (type !== "file" || isBroken) return { name, type };
  try {
    return { name, type, size: lstatSync(directory.at(name)).size };
  } catch (thrown) {
    skipped.addError(name, thrown);
    return { name, type };
  }
}

const byName = (a: SizedEntry, b: SizedEntry): number => compareNames(a.name, b.name);
/** As in the reference server: largest first. */
const ORDERS: { readonly [order in SizeOrder]: (a: SizedEntry, b: SizedEntry) => number } = {
  name: byName,
  size: (a, b) => (b.size ?? 0) - (a.size ?? 0) || byName(a, b),
};

/** What the listed directories hold: counted with `recursive` only. */
interface Below {
  files: number;
  directories: number;
}

function totalsOf(all: readonly SizedEntry[], below: Readonly<Below>, recursive: boolean): Totals {
  const isCut = ({ type, size, is_lower_bound: isMore }: SizedEntry): boolean =>
    isMore === true || (size === undefined && (type === "file" || (recursive && type === "directory")));
  return {
    total_files: all.filter(({ type }) => type === "file").length + below.files,
    total_directories: all.filter(({ type }) => type === "directory").length + below.directories,
    total_size: all.reduce((sum, { size = 0 }) => sum + size, 0),
    ...(all.some(isCut) && { is_lower_bound: true }),
  };
}
