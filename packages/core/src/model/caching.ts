import type { CacheHint } from "./entities.ts";

/** Hints for lists, and for resources that give none of their own. */
export interface Caching {
  readonly lists: CacheHint;
  readonly reads: CacheHint;
}

export const DEFAULT_CACHING: Caching = {
  lists: { ttlMs: 60_000, cacheScope: "private" },
  reads: { ttlMs: 0, cacheScope: "private" },
};
