interface CachedAnswer {
  readonly value: Promise<unknown>;
  readonly until: number;
}

const MOST_KEPT = 5000;

/** Answers to questions that are asked again and again, for a while. Whoever asks at the same time waits for the same answer. */
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
    // A failure is not an answer.
    value.catch(() => this.#kept.delete(key));
    return value;
  }
}
