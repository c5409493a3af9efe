/** Allows `burst` events at once and `perSecond` over time. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface TakenTokens {
  readonly tokens: number;
  /** Milliseconds until the next token, if none was taken. */
  readonly waitMs: number;
}

/** The tokens of one rate. Counts what it turned away. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;
  #refused = 0;

  constructor(rate: Rate, now: number = Date.now()) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  take(now: number = Date.now()): boolean {
    const isTaken = this.takeUpTo(1, now).tokens > 0;
    if (!isTaken) this.#refused += 1;
    return isTaken;
  }

  /** Takes as many tokens as there are, up to `most`. A negative `most` gives tokens back. */
  takeUpTo(most: number, now: number = Date.now()): TakenTokens {
    const { burst, perSecond } = this.#rate;
    // A clock set back must not take tokens away.
    const filled = Math.min(burst, this.#tokens + (Math.max(0, now - this.#at) * perSecond) / 1000);
    const tokens = Math.min(most, Math.floor(filled));
    this.#at = now;
    this.#tokens = Math.min(burst, filled - tokens);
    return { tokens, waitMs: tokens === 0 ? Math.ceil(((1 - filled) / perSecond) * 1000) : 0 };
  }

  /** How many were refused since the last call. */
  drainRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }
}

const MOST_BUCKETS = 10_000;

/** One bucket for each name, of which those used last are kept. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  take(name: string, most: number): TakenTokens {
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#rate);
    // Re-inserted, so that the map begins with the least recently used bucket.
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket.takeUpTo(most);
  }
}
