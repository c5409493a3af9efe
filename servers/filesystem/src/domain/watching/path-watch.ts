import { resolve } from "node:path";
import { Fault, type PathGuard } from "@suite/server-kit/domain";
import { DirectoryPool } from "./directory-watch.ts";
import { WatchedPath } from "./watched-path.ts";

export interface PathWatchOptions {
  /** The current guard; undefined while there is none. */
  readonly guard: () => PathGuard | undefined;
  readonly mostPaths?: number;
}

/** Delays loading the watcher until the listing has been answered. */
const TOPS_DELAY_MS = 250;
const MOST_TOPS = 64;

/** All watched paths. The watching library is loaded with the first one. */
export class PathWatch {
  readonly #guard: () => PathGuard | undefined;
  readonly #mostPaths: number;
  readonly #pool = new DirectoryPool();
  readonly #paths = new Set<WatchedPath>();
  readonly #tops = new Map<string, WatchedPath>();
  #topsTimer: NodeJS.Timeout | undefined;

  constructor({ guard, mostPaths = 1000 }: PathWatchOptions) {
    this.#guard = guard;
    this.#mostPaths = mostPaths;
  }

  /** How many directories are being watched. */
  get directories(): number {
    return this.#pool.size;
  }

  /** Refuses paths outside; the path need not exist yet. Returns a function that stops watching. */
  watch(path: string, changed: () => void): () => void {
    this.#requireGuard().locateExact(path);
    if (this.#paths.size >= this.#mostPaths) {
      throw new Fault("unavailable", `The limit of ${this.#mostPaths} subscribed resources is reached`, {
        hint: "Unsubscribe from others first, or subscribe to their directory.",
      });
    }
    const watched = this.#create(resolve(path), changed);
    this.#paths.add(watched);
    watched.follow();
    return () => {
      this.#paths.delete(watched);
      watched.close();
    };
  }

  /**
   * Reports, until `close`, when names in one of the roots are added or removed. Clients may have different roots, so those of
   * earlier calls are kept, up to a limit.
   */
  watchTops(roots: readonly string[], changed: () => void): void {
    const added = roots.filter((root) => !this.#tops.has(root)).slice(0, MOST_TOPS);
    for (const root of added) {
      const [oldest] = this.#tops.size < MOST_TOPS ? [] : this.#tops.keys();
      if (oldest !== undefined) {
        this.#tops.get(oldest)?.close();
        this.#tops.delete(oldest);
      }
      this.#tops.set(root, this.#create(root, changed));
    }
    if (added.length === 0) return;
    clearTimeout(this.#topsTimer);
    this.#topsTimer = setTimeout(() => {
      for (const watched of this.#tops.values()) watched.follow();
    }, TOPS_DELAY_MS);
    this.#topsTimer.unref();
  }

  close(): void {
    clearTimeout(this.#topsTimer);
    for (const watched of [...this.#paths, ...this.#tops.values()]) watched.close();
    this.#paths.clear();
    this.#tops.clear();
  }

  #create(path: string, changed: () => void): WatchedPath {
    return new WatchedPath({ path, guard: this.#guard, pool: this.#pool, changed });
  }

  #requireGuard(): PathGuard {
    const guard = this.#guard();
    if (guard) return guard;
    throw new Fault("unavailable", "No directory is allowed yet, so there is nothing to watch", {
      hint: "Start the server with a directory, or connect with a client that offers roots.",
    });
  }
}
