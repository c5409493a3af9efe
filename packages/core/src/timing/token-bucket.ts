/** Allows `burst` events at once and `perSecond` over time; counts what it turned away. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perMillisecond: number;
  #tokens: number;
  #at: number;
  #refused = 0;

  constructor(burst: number, perSecond: number, now: number = Date.now()) {
    this.#burst = burst;
    this.#perMillisecond = perSecond / 1000;
    this.#tokens = burst;
    this.#at = now;
  }

  take(now: number = Date.now()): boolean {
    // A clock set back must not take tokens away.
    const elapsed = Math.max(0, now - this.#at);
    this.#at = now;
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#perMillisecond);
    if (this.#tokens < 1) {
      this.#refused += 1;
      return false;
    }
    this.#tokens -= 1;
    return true;
  }

  /** How many were refused since the last call. */
  drainRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }
}
