import { createHash } from "node:crypto";
import { closeSync, lstatSync } from "node:fs";
import { join } from "node:path";

import { type PathGuard, readBytesLater, type StopSignal } from "@suite/server-kit/domain";

import { parseExcludes, parseIncludes } from "../walking/globs/glob.ts";
import { Room } from "../walking/room.ts";
import { fromStart, showBelow, toReport, type PageRequest, type WalkReport } from "../walking/start.ts";
import { walk, type WalkOptions } from "../walking/walk.ts";

export interface DuplicatesRequest extends PageRequest {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly min_size?: number | undefined;
}

export interface DuplicatesPage extends WalkReport {
  /** The allowed directory. */
  readonly path: string;
  /** Files of the same content, the newest first; the largest groups first. */
  readonly groups: { readonly size: number; readonly files: string[] }[];
  readonly total_groups: number;
  /** Bytes of all files but one of each group. */
  readonly wasted: number;
  /** Not all could be compared: there are too many, or too large ones. */
  readonly is_lower_bound?: true;
}

interface Candidate {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

const MOST_FILES = 100_000;
/** Read to compare, in all. */
const MOST_BYTES = 4 * 1024 ** 3;
const CHUNK_BYTES = 1024 * 1024;
/** Most files of one size differ at once. */
const HEAD_BYTES = 4096;

/** Files of the same content below a path: of the same size, then of the same hash. Names of one file count once. */
export async function findDuplicates(
  guard: PathGuard,
  request: DuplicatesRequest,
  { signal, onProgress }: Pick<WalkOptions, "signal" | "onProgress">,
): Promise<DuplicatesPage> {
  const { path = ".", min_size: least = 1, respect_gitignore: respectIgnore = true } = request;
  return fromStart(guard, path, async (start) => {
    const wanted = parseIncludes(request.include ?? [], start);
    const exclude = parseExcludes(request.exclude ?? [], start);
    const bySize = new Map<number, Candidate[]>();
    const seen = new Set<string>();
    const options = { signal, onProgress, respectIgnore, exclude };
    const result = await walk(guard, start, options, (entry, { directory, skipped }) => {
      if (entry.kind !== "file" || entry.isBroken) return undefined;
      if (wanted?.(entry.path, entry.name, false) === false) return undefined;
      try {
        const { dev, ino, size, mtimeMs } = lstatSync(directory.at(entry.name));
        if (size < Math.max(1, least) || seen.has(`${dev}-${ino}`)) return undefined;
        seen.add(`${dev}-${ino}`);
        const candidate = { path: entry.path, size, modifiedMs: mtimeMs };
        const alike = bySize.get(size) ?? [];
        alike.push(candidate);
        bySize.set(size, alike);
      } catch (thrown) {
        skipped.addError(entry.path, thrown);
      }
      return seen.size < MOST_FILES ? undefined : "stop";
    });
    const budget = { bytes: MOST_BYTES };
    const groups: Candidate[][] = [];
    const sizes = [...bySize.values()].filter((files) => files.length > 1);
    for (const files of sizes.toSorted((a, b) => (b[0]?.size ?? 0) - (a[0]?.size ?? 0))) {
      const hash = (length: number) => (file: Candidate) =>
        hashStart(guard, join(start, file.path), Math.min(length, file.size), budget, signal);
      for (const alike of await groupBy(files, hash(HEAD_BYTES)))
        groups.push(
          ...((alike[0]?.size ?? 0) <= HEAD_BYTES ? [alike] : await groupBy(alike, hash(Infinity))),
        );
    }
    const { base, prefix, toShown } = showBelow(guard, start);
    const room = new Room(request.budget, base + path);
    const shown = groups.map((files) => ({
      size: files[0]?.size ?? 0,
      files: files.toSorted((a, b) => b.modifiedMs - a.modifiedMs).map((file) => toShown(file.path)),
    }));
    const end = shown.findIndex((group) => !room.take(group, 40));
    const { isStopped } = result;
    return {
      path: base,
      groups: end < 0 ? shown : shown.slice(0, end),
      total_groups: shown.length,
      wasted: shown.reduce((sum, { size, files }) => sum + size * (files.length - 1), 0),
      ...((isStopped || budget.bytes <= 0) && { is_lower_bound: true as const }),
      ...toReport({ guard, path, start }, result, room, prefix),
    };
  });
}

/** Groups of at least two. Files without a key are left out. */
async function groupBy(
  files: readonly Candidate[],
  toKey: (file: Candidate) => Promise<string | undefined>,
): Promise<Candidate[][]> {
  const groups = new Map<string, Candidate[]>();
  for (const file of files) {
    const key = await toKey(file);
    if (key === undefined) continue;
    const alike = groups.get(key) ?? [];
    alike.push(file);
    groups.set(key, alike);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** undefined if the file cannot be read, changed its size, or there is no budget left. */
async function hashStart(
  guard: PathGuard,
  path: string,
  length: number,
  budget: { bytes: number },
  signal: StopSignal,
): Promise<string | undefined> {
  budget.bytes -= length;
  if (budget.bytes <= 0) return undefined;
  let fd: number | undefined;
  try {
    ({ fd } = guard.openFile(guard.locateExact(path, { follow: false })));
    const hash = createHash("sha256");
    for (let at = 0; at < length;) {
      const chunk = await readBytesLater(fd, at, Math.min(CHUNK_BYTES, length - at), signal);
      if (chunk.length === 0) return undefined;
      hash.update(chunk);
      at += chunk.length;
    }
    return hash.digest("base64");
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
