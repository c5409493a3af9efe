import type { PathGuard } from "@suite/server-kit/domain";
import { Debounce } from "./debounce.ts";
import type { DirectoryPool } from "./directory-pool.ts";
import { fingerprintOf, GONE } from "./fingerprint.ts";
import { traceTrail, type Waypoint } from "./trail.ts";

export interface WatchedPathOptions {
  /** Absolute and normal, as it was asked for: it may go through links. */
  readonly path: string;
  /** The boundary as it is now. */
  readonly guard: () => PathGuard | undefined;
  readonly pool: DirectoryPool;
  readonly changed: () => void;
}

/**
 * Tells when what a path leads to has changed, was made or has gone, whatever was swapped on the way to it. Events only
 * say when to look: what counts is what the guard lets a reader see.
 */
export class WatchedPath {
  readonly #options: WatchedPathOptions;
  readonly #settling = new Debounce(() => this.#settle());
  readonly #releases = new Map<string, () => void>();
  /** The waypoint of a file's own name. */
  #own: string | undefined;
  #fingerprint: string;
  #isCertain = false;

  constructor(options: WatchedPathOptions) {
    this.#options = options;
    this.#fingerprint = fingerprintOf(options.guard(), options.path);
  }

  /** Watches the way as it is now, and lets go of what is no longer on it. */
  follow(): void {
    const { guard, path, pool } = this.#options;
    const trail = traceTrail(guard()?.roots ?? [], path);
    const waypoints = new Map(trail.map((waypoint) => [keyOf(waypoint), waypoint]));
    const last = trail.at(-1);
    this.#own = last?.name === undefined ? undefined : keyOf(last);
    for (const [key, waypoint] of waypoints) {
      pool.verify(waypoint.directory);
      if (this.#releases.has(key)) continue;
      const release = pool.acquire(waypoint, (isCertain) => this.#hear(key, isCertain));
      this.#releases.set(key, release);
      // A directory that is watched for others already has nothing more to say about what happened until now.
      this.#settling.call();
    }
    for (const [key, release] of this.#releases) {
      if (waypoints.has(key)) continue;
      release();
      this.#releases.delete(key);
    }
  }

  close(): void {
    this.#settling.cancel();
    for (const release of this.#releases.values()) release();
    this.#releases.clear();
  }

  #hear(key: string, isCertain: boolean): void {
    this.#isCertain ||= isCertain && key === this.#own;
    this.#settling.call();
  }

  #settle(): void {
    this.follow();
    const { guard, path, changed } = this.#options;
    const fingerprint = fingerprintOf(guard(), path);
    // Two changes within one tick of the file system's clock leave the same fingerprint.
    const isChanged = fingerprint !== this.#fingerprint || (this.#isCertain && fingerprint !== GONE);
    this.#fingerprint = fingerprint;
    this.#isCertain = false;
    if (isChanged) changed();
  }
}

const keyOf = ({ directory, name }: Waypoint): string => `${directory}\0${name ?? ""}`;
