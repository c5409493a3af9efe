import { DirectoryWatch, type Nudge } from "./directory-watch.ts";
import type { Waypoint } from "./trail.ts";

/** One watch for each directory, however many paths lead through it. */
export class DirectoryPool {
  readonly #watches = new Map<string, DirectoryWatch>();

  get size(): number {
    return this.#watches.size;
  }

  /** Returns how to let go of it. The last one who does closes the watch. */
  acquire({ directory, name }: Waypoint, nudge: Nudge): () => void {
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
