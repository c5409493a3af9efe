interface CachedAnswer {
  readonly value: Promise<unknown>;
  readonly until: number;
}

const MOST_KEPT = 5000;

/** Caches answers for a while. Concurrent lookups of one key share one request. */
export class AnswerCache {
  readonly #kept = new Map<string, CachedAnswer>();
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  keep<T>(key: string, find: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > Date.now()) return kept.value as Promise<T>;
    const value = find();
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(key, { value, until: Date.now() + this.#ms });
    // Failures are not cached.
    value.catch(() => this.#kept.delete(key));
    return value;
  }
}
