import { lstatSync } from "node:fs";

import {
  Fault,
  fromCursor,
  isCount,
  type PageEnd,
  type PathGuard,
  toPageEnd,
  toPathText,
} from "@suite/server-kit/domain";

import { compareNames } from "../walking/read-entries.ts";
import { parseExcludes, parseGlob } from "../walking/globs/glob.ts";
import { fromWalkEnd, toWalkEnd } from "../walking/landmark.ts";
import { Room } from "../walking/room.ts";
import { fromStart, type PageRequest, toReport, toShownBelow, type WalkReport } from "../walking/start.ts";
import { type WalkedEntry, type VisitedDirectory, walk, type WalkOptions } from "../walking/walk.ts";

export interface FindRequest extends PageRequest {
  readonly pattern: string;
  readonly sort?: FoundOrder | undefined;
  readonly details?: boolean | undefined;
  readonly exclude?: readonly string[] | undefined;
}

export type FoundOrder = "name" | "size" | "modified";

/** Size and time only if requested, and not for directories: theirs say nothing about the contents. */
export interface FoundEntry {
  readonly path: string;
  readonly size?: number;
  readonly modified?: string;
}

export interface FoundPage extends PageEnd, WalkReport {
  readonly path: string;
  /** Absolute; directories end with a slash. With `details`, or a `sort` other than name, `files` is set instead. */
  readonly matches?: string[];
  readonly files?: FoundEntry[];
  /** The number of all matches, if all had to be examined. */
  readonly total?: number;
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
  const about = { find: path, pattern, excluded, respectIgnore };
  return fromStart(guard, path, async (start) => {
    const [test, exclude] = [parseGlob(pattern, start), parseExcludes(excluded, start)];
    const after = fromWalkEnd(guard, start, cursor, about);
    const toShown = toShownBelow(start);
    const room = new Room(request.budget, toPathText(start));
    const found: FoundEntry[] = [];
    let last: string | undefined;
    const options = { ...walking, respectIgnore, exclude, after };
    const result = await walk(guard, start, options, (entry, parent) => {
      const isDirectory = entry.kind === "directory";
      if (!test(entry.path, entry.name, isDirectory)) return undefined;
      const facts = details && entry.kind === "file" ? factsOf(entry, parent) : undefined;
      const shown = {
        path: toShown(entry.path) + (isDirectory ? "/" : ""),
        ...(facts && toShownFacts(facts)),
      };
      if (found.length === limit || !room.take(details ? shown : shown.path)) return "stop";
      found.push(shown);
      last = entry.path;
      return undefined;
    });
    return {
      path: toPathText(start),
      ...(details ? { files: found } : { matches: found.map((entry) => entry.path) }),
      ...toWalkEnd(result.isStopped, last, about),
      ...toReport({ guard, path, start }, result, room),
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
  const about = { find: path, pattern, excluded, respectIgnore, sort };
  const from = fromCursor(cursor, about, isCount) ?? 0;
  return fromStart(guard, path, async (start) => {
    const [test, exclude] = [parseGlob(pattern, start), parseExcludes(excluded, start)];
    const all: FileFacts[] = [];
    const result = await walk(guard, start, { ...walking, respectIgnore, exclude }, (entry, parent) => {
      if (entry.kind !== "file" || entry.isBroken || !test(entry.path, entry.name, false)) return undefined;
      if (all.length === MOST_SORTED) throw refuseMany();
      const facts = factsOf(entry, parent);
      if (facts) all.push(facts);
      return undefined;
    });
    const key = sort === "size" ? "size" : "modifiedMs";
    const sorted = all.toSorted((a, b) => b[key] - a[key] || compareNames(a.path, b.path)).slice(from);
    const [toShown, room] = [toShownBelow(start), new Room(request.budget, toPathText(start))];
    const shown = sorted
      .slice(0, limit)
      .map((facts) => ({ path: toShown(facts.path), ...toShownFacts(facts) }));
    const end = shown.findIndex((entry) => !room.take(entry));
    const files = end < 0 ? shown : shown.slice(0, end);
    return {
      path: toPathText(start),
      files,
      total: all.length,
      ...toPageEnd(files.length < sorted.length, from + files.length, about),
      ...toReport({ guard, path, start }, result, room),
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

const refuseMany = (): Fault =>
  new Fault("too_large", `More than ${MOST_SORTED} files match, too many to be sorted`, {
    hint: "Narrow it with path, pattern or exclude, or leave out sort.",
  });
