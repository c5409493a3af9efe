import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, opendirSync } from "node:fs";
import { Debounce, type PathGuard, type SafePath } from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { isReservedName } from "../reserved-names.ts";
import type { DirectoryPool } from "./directory-watch.ts";
import { findWatchPoints, type WatchPoint } from "./watch-points.ts";

export interface WatchedPathOptions {
  /** Absolute and normalized, as requested: it may go through links. */
  readonly path: string;
  /** The current guard. */
  readonly guard: () => PathGuard | undefined;
  readonly pool: DirectoryPool;
  readonly changed: () => void;
}

/**
 * Reports when the target of a path is changed, created or removed, even if a directory or link on the way is replaced. Events
 * only trigger a check: a change is what a reader can see through the guard.
 */
export class WatchedPath {
  readonly #options: WatchedPathOptions;
  readonly #checking = new Debounce(() => this.#check(), { quietMs: 60, mostMs: 500 });
  readonly #releases = new Map<string, () => void>();
  /** The watch point of a file's own name. */
  #own: string | undefined;
  #fingerprint: string;
  #isCertain = false;

  constructor(options: WatchedPathOptions) {
    this.#options = options;
    this.#fingerprint = fingerprintOf(options.guard(), options.path);
  }

  /** Watches the directories on the current way to the target, and releases those no longer on it. */
  follow(): void {
    const { guard, path, pool } = this.#options;
    const points = findWatchPoints(guard()?.roots ?? [], path);
    const byKey = new Map(points.map((point) => [keyOf(point), point]));
    const last = points.at(-1);
    this.#own = last?.name === undefined ? undefined : keyOf(last);
    for (const [key, point] of byKey) {
      pool.verify(point.directory);
      if (this.#releases.has(key)) continue;
      const release = pool.acquire(point, (isCertain) => this.#hear(key, isCertain));
      this.#releases.set(key, release);
      // A directory that is already watched reports no earlier events, so check now.
      this.#checking.call();
    }
    for (const [key, release] of this.#releases) {
      if (byKey.has(key)) continue;
      release();
      this.#releases.delete(key);
    }
  }

  close(): void {
    this.#checking.cancel();
    for (const release of this.#releases.values()) release();
    this.#releases.clear();
  }

  #hear(key: string, isCertain: boolean): void {
    this.#isCertain ||= isCertain && key === this.#own;
    this.#checking.call();
  }

  #check(): void {
    this.follow();
    const { guard, path, changed } = this.#options;
    const fingerprint = fingerprintOf(guard(), path);
    // A certain event counts as well: two changes within one clock tick have the same fingerprint.
    const isChanged = fingerprint !== this.#fingerprint || (this.#isCertain && fingerprint !== GONE);
    this.#fingerprint = fingerprint;
    this.#isCertain = false;
    if (isChanged) changed();
  }
}

const keyOf = ({ directory, name }: WatchPoint): string => `${directory}\0${name ?? ""}`;

/** The fingerprint of a missing or forbidden path: a watcher learns no more than a reader. */
const GONE = "gone";

/** For a directory with more names, its own stats are the fingerprint. */
const MOST_NAMES = 10_000;

/** Differs if what a reader of the path gets has changed. */
function fingerprintOf(guard: PathGuard | undefined, path: string): string {
  try {
    const located = guard?.locateExact(path);
    const stats = located && lstatSync(located, { bigint: true, throwIfNoEntry: false });
    if (!guard || !stats) return GONE;
    return stats.isDirectory() ? namesIn(guard, located, stats) : toMark(stats);
  } catch {
    return GONE;
  }
}

const toMark = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** Hashes names and kinds, not times: replacing a file does not change the listing. */
function namesIn(guard: PathGuard, path: SafePath, stats: BigIntStats): string {
  const names: string[] = [];
  return closing(guard.holdDirectory(path), (held) => {
    const directory = opendirSync(held.at(), { bufferSize: 1024 });
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        if (isReservedName(entry.name)) continue;
        names.push(`${entry.isDirectory() ? "d" : "f"}${entry.name}`);
        if (names.length > MOST_NAMES) return toMark(stats);
      }
    } finally {
      directory.closeSync();
    }
    return createHash("sha256").update(names.toSorted().join("\0")).digest("base64");
  });
}
