import { basename, join } from "node:path";

import type { FSWatcher } from "chokidar";

import type { Repository } from "../repository/repository.ts";

/** What can be subscribed to. */
export type WatchedKind = "HEAD" | "status" | "branches";

/** What a resource says now; two that are equal are no news. */
export type ReadsKind = (kind: WatchedKind, signal: AbortSignal) => Promise<string>;

interface Listener {
  readonly kind: WatchedKind;
  readonly changed: () => void;
  last: string | undefined;
}

/** Git touches several files for one thing that it does. */
const SETTLE_MS = 100;
const READ_MS = 10_000;
const NOT_WATCHED = new Set([".git", "node_modules"]);

/**
 * One repository while somebody listens. Its git directory is watched, and its work tree only for the status. What is
 * told is never more than "something may have changed there": whether it has, is asked of git.
 */
export class RepositoryWatch {
  readonly #repository: Repository;
  readonly #read: ReadsKind;
  readonly #listeners = new Set<Listener>();
  readonly #watchers: FSWatcher[] = [];
  readonly #stop = new AbortController();
  #tree: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();

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
    const listener: Listener = { kind, changed, last: undefined };
    this.#listeners.add(listener);
    this.#checking = this.#checking.then(() => this.#check(listener));
    if (kind === "status") void this.#openTree();
    return () => {
      this.#listeners.delete(listener);
      if ([...this.#listeners].some((other) => other.kind === "status")) return;
      void this.#tree?.close();
      this.#tree = undefined;
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
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
    const nudge = (): void => this.#nudge();
    // What happened before it was ready is not told.
    return watcher.on("all", nudge).on("ready", nudge).on("error", nudge);
  }

  #nudge(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const listener of this.#listeners)
        this.#checking = this.#checking.then(() => this.#check(listener));
    }, SETTLE_MS);
  }

  async #check(listener: Listener): Promise<void> {
    if (!this.#listeners.has(listener)) return;
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(READ_MS)]);
      const now = await this.#read(listener.kind, signal);
      const isNews = listener.last !== undefined && listener.last !== now;
      listener.last = now;
      if (isNews && this.#listeners.has(listener)) listener.changed();
    } catch {
      // Locked or gone for the moment: whatever it is next is news.
      listener.last = "";
    }
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
