import { basename, dirname, join, normalize } from "node:path";
import { codeOf } from "@suite/server-kit/domain";
import type { FSWatcher } from "chokidar";
import { findStats, type WatchPoint } from "./watch-points.ts";

/** Called when something has happened to a name, or may have. */
type Nudge = (isCertain: boolean) => void;

/** Retry interval for a directory that is missing or cannot be watched. */
const RETRY_MS = 1000;

/**
 * Watches one directory, not its subdirectories. Files are watched through their directory: a watch on a file follows it when it
 * is moved, and misses the file that replaces it.
 */
class DirectoryWatch {
  readonly #directory: string;
  readonly #byName = new Map<string | undefined, Set<Nudge>>();
  #watcher: FSWatcher | undefined;
  #identity: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #openings = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#open();
  }

  get isUsed(): boolean {
    return this.#byName.size > 0;
  }

  add(name: string | undefined, nudge: Nudge): void {
    const nudges = this.#byName.get(name);
    if (nudges) nudges.add(nudge);
    else {
      this.#byName.set(name, new Set([nudge]));
      // Files only: Chokidar shares watches by path, so the watch of a directory would be reused for one that replaces it.
      if (name !== undefined && findStats(join(this.#directory, name))?.isFile()) {
        this.#watcher?.add(join(this.#directory, name));
      }
    }
  }

  remove(name: string | undefined, nudge: Nudge): void {
    const nudges = this.#byName.get(name);
    if (!nudges?.delete(nudge) || nudges.size > 0) return;
    this.#byName.delete(name);
    if (name !== undefined) this.#watcher?.unwatch(join(this.#directory, name));
  }

  /** Reopens the watch if another directory is now at the path. */
  verify(): void {
    if (identityOf(this.#directory) !== this.#identity) this.#open();
  }

  close(): void {
    this.#openings += 1;
    clearTimeout(this.#retry);
    void this.#watcher?.close();
    this.#watcher = undefined;
  }

  #open(): void {
    this.close();
    this.#identity = identityOf(this.#directory);
    if (this.#identity === undefined) this.#openLater();
    else void this.#start(this.#openings);
  }

  async #start(opening: number): Promise<void> {
    const { watch } = await import("chokidar");
    if (opening !== this.#openings) return;
    this.#watcher = watch(this.#directory, {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      // `atomic` would delay events, and hide files whose names look like an editor's temporary files.
      atomic: false,
      // On Windows, Chokidar tells paths with slashes.
      ignored: (path) => !this.#isWanted(normalize(path)),
    })
      .on("raw", (event, path, details) => this.#hear(event, path, details as RawDetails))
      .on("all", (_event, path) => this.#nudge(basename(path), false))
      .on("ready", () => this.#ready())
      .on("error", (error) => this.#fail(error));
  }

  /** Otherwise Chokidar would watch every file in the directory, and the parent of a missing directory. */
  #isWanted(path: string): boolean {
    if (path === this.#directory) return true;
    return dirname(path) === this.#directory && this.#byName.has(basename(path));
  }

  /** Events before this were missed; the watched directory may even have been moved away since. */
  #ready(): void {
    this.verify();
    this.#nudgeAll();
  }

  #hear(event: string, about: string | null, { watchedPath }: RawDetails): void {
    if (normalize(watchedPath ?? about ?? "") !== this.#directory) return;
    if (watchedPath === undefined || about === null) return this.#nudgeAll();
    // The directory's own removal or move is reported under its own name.
    if (event === "rename" && about === basename(this.#directory)) {
      this.#open();
      this.#nudgeAll();
    }
    this.#nudge(about, true);
    if (event === "rename") this.#nudge(undefined, false);
  }

  /**
   * The system may have no watches left, or none for this directory: until it has, fall back to polling. An unreadable file
   * needs no watch of its own: its directory reports changes.
   */
  #fail(error: unknown): void {
    if (isDenied(error) && error.path !== undefined && normalize(error.path) !== this.#directory) return;
    this.close();
    this.#openLater();
    this.#nudgeAll();
  }

  #openLater(): void {
    this.#retry = setTimeout(() => {
      this.#open();
      this.#nudgeAll();
    }, RETRY_MS);
    this.#retry.unref();
  }

  #nudge(name: string | undefined, isCertain: boolean): void {
    for (const nudge of this.#byName.get(name) ?? []) nudge(isCertain);
  }

  #nudgeAll(): void {
    for (const name of this.#byName.keys()) this.#nudge(name, false);
  }
}

interface RawDetails {
  /** Missing if Chokidar polls (CHOKIDAR_USEPOLLING). */
  readonly watchedPath?: string;
}

const isDenied = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && ["EACCES", "EPERM"].includes(String(codeOf(error)));

function identityOf(directory: string): string | undefined {
  const stats = findStats(directory);
  return stats?.isSymbolicLink() === false ? `${stats.dev} ${stats.ino}` : undefined;
}

/** One watch per directory, shared by all paths through it. */
export class DirectoryPool {
  readonly #watches = new Map<string, DirectoryWatch>();

  get size(): number {
    return this.#watches.size;
  }

  /** Returns a function that releases it. The last release closes the watch. */
  acquire({ directory, name }: WatchPoint, nudge: Nudge): () => void {
    const watch = this.#watches.get(directory) ?? new DirectoryWatch(directory);
    this.#watches.set(directory, watch);
    watch.add(name, nudge);
    return () => {
      watch.remove(name, nudge);
      if (watch.isUsed) return;
      watch.close();
      this.#watches.delete(directory);
    };
  }

  verify(directory: string): void {
    this.#watches.get(directory)?.verify();
  }
}
