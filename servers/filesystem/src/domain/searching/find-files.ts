import { lstatSync } from "node:fs";

import {
  Fault,
  fromCursor,
  isCount,
  type PageEnd,
  type PathGuard,
  toPageEnd,
} from "@suite/server-kit/domain";

import { compareNames } from "../walking/read-entries.ts";
import { parseExcludes, parseGlob } from "../walking/globs/glob.ts";
import { fromWalkEnd, toWalkEnd } from "../walking/landmark.ts";
import { Beyond, Room } from "../walking/room.ts";
import { fromStart, type PageRequest, showBelow, toReport, type WalkReport } from "../walking/start.ts";
import { type WalkedEntry, type VisitedDirectory, walk, type WalkOptions } from "../walking/walk.ts";

export interface FindRequest extends PageRequest, FileFilters {
  readonly pattern: string;
  readonly sort?: FoundOrder | undefined;
  readonly details?: boolean | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Sizes in bytes; times as ISO 8601. Those of size and time leave only files. */
export interface FileFilters {
  readonly type?: "file" | "directory" | "link" | undefined;
  readonly min_size?: number | undefined;
  readonly max_size?: number | undefined;
  readonly modified_after?: string | undefined;
  readonly modified_before?: string | undefined;
}

export type FoundOrder = "name" | "size" | "modified";

/** Size and time only if requested, and not for directories: theirs say nothing about the contents. */
export interface FoundEntry {
  readonly path: string;
  readonly size?: number;
  readonly modified?: string;
}

export interface FoundPage extends PageEnd, WalkReport {
  /** The allowed directory. */
  readonly path: string;
  /** Relative to `path` if only one directory is allowed; directories end with a slash. With `details`, or a `sort` other than name, `files` is set instead. */
  readonly matches?: string[];
  readonly files?: FoundEntry[];
  /** The number of all matches, not only of those on this page. */
  readonly total?: number;
  /** The size of all matches, if sizes are listed. */
  readonly total_bytes?: number;
  /** There are more than `total`: counting took too long. */
  readonly is_lower_bound?: true;
}

const DEFAULT_LIMIT = 1000;
/** Limit of files to sort. */
const MOST_SORTED = 200_000;

type FileWalk = Pick<WalkOptions, "signal" | "onProgress">;

/** Files and directories whose names or paths match a glob, page by page. */
export function findFiles(guard: PathGuard, request: FindRequest, walking: FileWalk): Promise<FoundPage> {
  return request.sort === undefined || request.sort === "name"
    ? findByName(guard, request, walking)
    : findSorted(guard, request, request.sort, walking);
}

async function findByName(guard: PathGuard, request: FindRequest, walking: FileWalk): Promise<FoundPage> {
  const { path = ".", pattern, exclude: excluded = [], respect_gitignore: respectIgnore = true } = request;
  const { limit = DEFAULT_LIMIT, cursor, details = false } = request;
  const filter = createFilter(request);
  const about = { find: path, pattern, excluded, respectIgnore, ...filter.about };
  return fromStart(guard, path, async (start) => {
    const [test, exclude] = [parseGlob(pattern, start), parseExcludes(excluded, start)];
    const after = fromWalkEnd(guard, start, cursor, about);
    const { base, prefix, toShown } = showBelow(guard, start);
    const room = new Room(request.budget, base + path);
    const found: FoundEntry[] = [];
    let bytes = 0;
    let last: string | undefined;
    const beyond = new Beyond(cursor === undefined);
    const options = { ...walking, respectIgnore, exclude, after };
    const result = await walk(guard, start, options, (entry, parent) => {
      const isDirectory = entry.kind === "directory";
      if (!filter.hasKind(entry.kind) || !test(entry.path, entry.name, isDirectory)) return undefined;
      const needsFacts = (details || filter.needsFacts) && entry.kind === "file" && !entry.isBroken;
      const facts = needsFacts ? factsOf(entry, parent) : undefined;
      if (filter.needsFacts && !(facts && filter.hasFacts(facts))) return undefined;
      bytes += facts?.size ?? 0;
      if (beyond.isFull) return beyond.count();
      const shown = {
        path: toShown(entry.path) + (isDirectory ? "/" : ""),
        ...(details && facts && toShownFacts(facts)),
      };
      if (found.length === limit || !room.take(details ? shown : shown.path)) return beyond.count();
      found.push(shown);
      last = entry.path;
      return undefined;
    });
    return {
      path: base,
      ...(details ? { files: found } : { matches: found.map((entry) => entry.path) }),
      ...beyond.toTotal(found.length),
      ...(details && cursor === undefined && { total_bytes: bytes }),
      ...toWalkEnd(beyond.isFull, last, about),
      ...toReport({ guard, path, start }, result, room, prefix),
    };
  });
}

interface FileFacts {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/** Largest or newest first: every page examines all files, and the cursor is an offset. */
async function findSorted(
  guard: PathGuard,
  request: FindRequest,
  sort: Exclude<FoundOrder, "name">,
  walking: FileWalk,
): Promise<FoundPage> {
  const { path = ".", pattern, exclude: excluded = [], respect_gitignore: respectIgnore = true } = request;
  const { limit = DEFAULT_LIMIT, cursor } = request;
  const filter = createFilter(request);
  const about = { find: path, pattern, excluded, respectIgnore, sort, ...filter.about };
  const from = fromCursor(cursor, about, isCount) ?? 0;
  return fromStart(guard, path, async (start) => {
    const [test, exclude] = [parseGlob(pattern, start), parseExcludes(excluded, start)];
    const all: FileFacts[] = [];
    const result = await walk(guard, start, { ...walking, respectIgnore, exclude }, (entry, parent) => {
      if (entry.kind !== "file" || entry.isBroken || !test(entry.path, entry.name, false)) return undefined;
      if (all.length === MOST_SORTED) throw refuseMany();
      const facts = factsOf(entry, parent);
      if (facts && filter.hasFacts(facts)) all.push(facts);
      return undefined;
    });
    const key = sort === "size" ? "size" : "modifiedMs";
    const sorted = all.toSorted((a, b) => b[key] - a[key] || compareNames(a.path, b.path)).slice(from);
    const { base, prefix, toShown } = showBelow(guard, start);
    const room = new Room(request.budget, base + path);
    const shown = sorted
      .slice(0, limit)
      .map((facts) => ({ path: toShown(facts.path), ...toShownFacts(facts) }));
    const end = shown.findIndex((entry) => !room.take(entry));
    const files = end < 0 ? shown : shown.slice(0, end);
    return {
      path: base,
      files,
      total: all.length,
      total_bytes: all.reduce((sum, { size }) => sum + size, 0),
      ...toPageEnd(files.length < sorted.length, from + files.length, about),
      ...toReport({ guard, path, start }, result, room, prefix),
    };
  });
}

function factsOf(
  { path, name }: WalkedEntry,
  { directory, skipped }: VisitedDirectory,
): FileFacts | undefined {
  try {
    const { size, mtimeMs: modifiedMs } = lstatSync(directory.at(name));
    return { path, size, modifiedMs };
  } catch (thrown) {
    skipped.addError(path, thrown);
    return undefined;
  }
}

const toShownFacts = ({ size, modifiedMs }: FileFacts): { size: number; modified: string } => ({
  size,
  modified: `${new Date(modifiedMs).toISOString().slice(0, 19)}Z`,
});

interface FileFilter {
  readonly hasKind: (kind: WalkedEntry["kind"]) => boolean;
  readonly hasFacts: (facts: FileFacts) => boolean;
  readonly needsFacts: boolean;
  /** For cursors. */
  readonly about: { readonly [name: string]: string | number };
}

function createFilter({ type, ...given }: FindRequest): FileFilter {
  const { min_size: least = 0, max_size: most = Infinity } = given;
  const after = toMs("modified_after", given.modified_after) ?? -Infinity;
  const before = toMs("modified_before", given.modified_before) ?? Infinity;
  const { min_size, max_size, modified_after, modified_before } = given;
  const facts = Object.entries({ min_size, max_size, modified_after, modified_before });
  const set = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const needsFacts = set.length > 0;
  return {
    hasKind: (kind) => (type === undefined || kind === type) && (!needsFacts || kind === "file"),
    hasFacts: ({ size, modifiedMs }) =>
      size >= least && size <= most && modifiedMs >= after && modifiedMs < before,
    needsFacts,
    about: Object.fromEntries(type === undefined ? set : [...set, ["type", type] as const]),
  };
}

function toMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw new Fault("invalid_input", `${name} is not a time`, {
    hint: "Write it as 2026-11-18 or 2026-11-18T09:30:00Z.",
  });
}

const refuseMany = (): Fault =>
  new Fault("too_large", `More than ${MOST_SORTED} files match, too many to be sorted`, {
    hint: "Narrow it with path, pattern or exclude, or leave out sort.",
  });
