import { basename, join } from "node:path";

import { Debounce, VersionWatch } from "@suite/server-kit/domain";
import type { FSWatcher } from "chokidar";

import type { Repository } from "../repository/repository.ts";

/** What can be subscribed to. */
export type WatchedKind = "HEAD" | "status" | "branches";

/** What a resource says now; two that are equal are no news. */
export type ReadsKind = (kind: WatchedKind, signal: AbortSignal) => Promise<string>;

/** Git touches several files for one thing that it does, and a build may never rest. */
const SETTLING = { quietMs: 100, mostMs: 1000 };
const READ_MS = 10_000;
const NOT_WATCHED = new Set([".git", "node_modules"]);

/**
 * One repository while somebody listens. Its git directory is watched, and its work tree only for the status. What is
 * told is never more than "something may have changed there": whether it has, is asked of git.
 */
export class RepositoryWatch {
  readonly #repository: Repository;
  readonly #read: ReadsKind;
  readonly #listeners = new Map<VersionWatch, WatchedKind>();
  readonly #watchers: FSWatcher[] = [];
  readonly #stop = new AbortController();
  readonly #looking = new Debounce(() => {
    for (const listener of this.#listeners.keys()) listener.look();
  }, SETTLING);
  #tree: FSWatcher | undefined;

  constructor(repository: Repository, read: ReadsKind) {
    this.#repository = repository;
    this.#read = read;
    void this.#open();
  }

  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns how to stop. */
  listen(kind: WatchedKind, changed: () => void): () => void {
    const readNow = (): Promise<string> =>
      this.#read(kind, AbortSignal.any([this.#stop.signal, AbortSignal.timeout(READ_MS)]));
    const listener = new VersionWatch(readNow, changed);
    this.#listeners.set(listener, kind);
    listener.look();
    if (kind === "status") void this.#openTree();
    return () => {
      listener.close();
      this.#listeners.delete(listener);
      if ([...this.#listeners.values()].includes("status")) return;
      void this.#tree?.close();
      this.#tree = undefined;
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#looking.cancel();
    for (const listener of this.#listeners.keys()) listener.close();
    this.#listeners.clear();
    await Promise.all(
      [...this.#watchers, ...(this.#tree ? [this.#tree] : [])].map((watcher) => watcher.close()),
    );
  }

  async #open(): Promise<void> {
    const { gitDir, commonDir } = this.#repository;
    const tops = [...new Set<string>([gitDir, commonDir])];
    await this.#add(tops, { depth: 0 });
    await this.#add([join(commonDir, "refs")], {});
  }

  async #add(paths: string[], options: { readonly depth?: number }): Promise<void> {
    const { watch } = await import("chokidar");
    if (this.#stop.signal.aborted) return;
    const ignored = (path: string): boolean => path.endsWith(".lock");
    const watcher = watch(paths, { ...options, ignored, ignoreInitial: true, followSymlinks: false });
    this.#watchers.push(this.#attach(watcher));
  }

  async #openTree(): Promise<void> {
    const { watch } = await import("chokidar");
    if (this.#stop.signal.aborted || this.#tree || this.#repository.isBare) return;
    const { root } = this.#repository;
    const ignored = (path: string): boolean => NOT_WATCHED.has(basename(path));
    this.#tree = this.#attach(watch(root, { ignored, ignoreInitial: true, followSymlinks: false }));
  }

  #attach(watcher: FSWatcher): FSWatcher {
    const nudge = (): void => this.#looking.call();
    // What happened before it was ready is not told.
    return watcher.on("all", nudge).on("ready", nudge).on("error", nudge);
  }
}

/** All that is watched, by repository. */
export class RepositoryWatchers {
  readonly #watches = new Map<string, RepositoryWatch>();

  watch(repository: Repository, read: ReadsKind, kind: WatchedKind, changed: () => void): () => void {
    const watch = this.#watches.get(repository.gitDir) ?? new RepositoryWatch(repository, read);
    this.#watches.set(repository.gitDir, watch);
    const stop = watch.listen(kind, changed);
    return () => {
      stop();
      if (watch.isUsed) return;
      this.#watches.delete(repository.gitDir);
      void watch.close();
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch.close()));
    this.#watches.clear();
  }
}
