import type { MaybePromise } from "../../model/maybe-promise.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import type { Store } from "../../store/store.ts";

/** How many requests a caller may send over time, at all replicas together. Callers without a name count as one. */
export class RateLimit {
  readonly perMinute: number;
  readonly #store: Store;
  readonly #own = new MemoryStore();

  constructor(perMinute: number, store: Store) {
    this.perMinute = perMinute;
    this.#store = store;
  }

  /** 0, or the milliseconds to wait. While the store is away, every replica counts for itself. */
  take(principal: string | undefined): MaybePromise<number> {
    const bucket = `rate:${principal ?? ""}`;
    const rate = { burst: this.perMinute, perSecond: this.perMinute / 60 };
    const wait = this.#store.take(bucket, rate);
    return wait instanceof Promise ? wait.catch(() => this.#own.take(bucket, rate)) : wait;
  }
}
