import { TokenBuckets, type Rate } from "../../timing/token-bucket.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import { personOf } from "../../values/principal.ts";

/** Limits how many messages a person may send per minute. Callers without a principal count as one. */
export class RateLimit {
  readonly perMinute: number;
  protected readonly rate: Rate;
  readonly #buckets: TokenBuckets;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
    this.rate = { burst: perMinute, perSecond: perMinute / 60 };
    this.#buckets = new TokenBuckets(this.rate);
  }

  /** Admits all of these messages or none: 0, or the milliseconds to wait, Infinity if they exceed a whole minute's limit. */
  take(principal: string | undefined, count = 1): MaybePromise<number> {
    if (count > this.perMinute) return Infinity;
    const name = personOf(principal ?? "");
    const { tokens, waitMs } = this.#buckets.take(name, count);
    if (tokens === count) return 0;
    this.#buckets.take(name, -tokens);
    return waitMs + this.msFor(count - Math.max(tokens, 1));
  }

  protected msFor(tokens: number): number {
    return Math.ceil((tokens / this.rate.perSecond) * 1000);
  }
}
