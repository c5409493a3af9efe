import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "@suite/server-kit/domain";
import type { FSWatcher } from "chokidar";
import type { WatchPoint } from "./watch-points.ts";

/** Something has happened to a name in a directory for certain, or may have. */
type Nudge = (isCertain: boolean) => void;

/** How soon a directory that is not there, or cannot be watched, is looked at again. */
const RETRY_MS = 1000;

/**
 * One directory, not what is below it. Files are watched through the directory they are in: a watch on a file alone follows
 * the file when it is moved, and misses the one that takes its place. What happens is told as soon as it is noticed.
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
      // Chokidar shares watches by path: one on a directory would be taken for that of the directory which replaces it.
      if (name !== undefined && isFile(join(this.#directory, name))) {
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

  /** Watches whatever is at the path now, if that is another directory than before. */
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
      // It would hold back what we want to hear of, and hide files whose names look like an editor's.
      atomic: false,
      ignored: (path) => !this.#isWanted(path),
    })
      .on("raw", (event, path, details) => this.#hear(event, path, details as RawDetails))
      .on("all", (_event, path) => this.#nudge(basename(path), false))
      .on("ready", () => this.#ready())
      .on("error", (error) => this.#fail(error));
  }

  /** Chokidar would watch every file in the directory otherwise, and what is around a directory that is missing. */
  #isWanted(path: string): boolean {
    if (path === this.#directory) return true;
    return dirname(path) === this.#directory && this.#byName.has(basename(path));
  }

  /** What happened before it was ready went unheard; it may even watch a directory that has been moved away since. */
  #ready(): void {
    this.verify();
    this.#nudgeAll();
  }

  #hear(event: string, about: string | null, { watchedPath }: RawDetails): void {
    if ((watchedPath ?? about) !== this.#directory) return;
    if (watchedPath === undefined || about === null) return this.#nudgeAll();
    // Its own end, or its own moving away, comes under its own name.
    if (event === "rename" && about === basename(this.#directory)) {
      this.#open();
      this.#nudgeAll();
    }
    this.#nudge(about, true);
    if (event === "rename") this.#nudge(undefined, false);
  }

  /**
   * The system may have no watches left to give, or none for this directory: until it has, looking again and again does the
   * same, only slower. Of a file that nobody may read, the directory tells.
   */
  #fail(error: unknown): void {
    if (isDenied(error) && error.path !== undefined && error.path !== this.#directory) return;
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
  /** Missing when chokidar polls, which an operator may ask it for (CHOKIDAR_USEPOLLING). */
  readonly watchedPath?: string;
}

const isDenied = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && ["EACCES", "EPERM"].includes(String(codeOf(error)));

function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

function identityOf(directory: string): string | undefined {
  try {
    const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
    return stats?.isSymbolicLink() === false ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** One watch for each directory, however many paths lead through it. */
export class DirectoryPool {
  readonly #watches = new Map<string, DirectoryWatch>();

  get size(): number {
    return this.#watches.size;
  }

  /** Returns how to let go of it. The last one who does closes the watch. */
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
