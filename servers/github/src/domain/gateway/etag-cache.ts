/** An answer as it can be given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const LARGEST_ENTRY = 1024 * 1024;
const LARGEST_TOTAL = 16 * 1024 * 1024;

/** Answers with their ETags, by URL, media type and token: one token's answers are nothing to another. The oldest go first. */
export class EtagCache {
  readonly #kept = new Map<string, KeptAnswer>();
  #bytes = 0;

  find(key: string): KeptAnswer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  keep(key: string, answer: KeptAnswer): void {
    this.#forget(key);
    if (answer.headers["etag"] === undefined || answer.body.length > LARGEST_ENTRY) return;
    this.#kept.set(key, answer);
    this.#bytes += answer.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= LARGEST_TOTAL) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.body.length ?? 0;
    this.#kept.delete(key);
  }
}
