import { inBackground } from "../../timing/timers.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import { personOf } from "../../values/principal.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import type { Rate, Store } from "../../store/store.ts";

/** How long unused tokens are kept: meanwhile other replicas cannot use them. */
const KEPT_MS = 1000;

/** Tokens taken from one bucket and not used yet. */
interface TokenStock {
  tokens: number;
  from: Store;
  /** Requests that wait for the next refill. */
  waiting: number;
  answer?: Promise<number> | undefined;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Limits how many requests a person may send per minute, across all replicas. Callers without a principal count as one. A
 * replica takes the tokens of one second at a time, so that not every request asks the store, and returns unused ones.
 */
export class RateLimit {
  readonly perMinute: number;
  readonly #rate: Rate;
  readonly #ahead: number;
  readonly #store: Store;
  readonly #own: MemoryStore;
  readonly #stocks = new Map<string, TokenStock>();

  constructor(perMinute: number, store: Store) {
    this.perMinute = perMinute;
    this.#rate = { burst: perMinute, perSecond: perMinute / 60 };
    this.#ahead = Math.max(1, Math.floor(this.#rate.perSecond));
    this.#store = store;
    this.#own = store instanceof MemoryStore && !store.isShared ? store : new MemoryStore();
  }

  /**
   * Admits all of these requests or none: 0, or the milliseconds to wait, Infinity if they exceed a whole minute's limit.
   * While the store is unavailable, each replica counts on its own.
   */
  take(principal: string | undefined, requests = 1): MaybePromise<number> {
    if (requests > this.perMinute) return Infinity;
    const bucket = `rate:${personOf(principal ?? "")}`;
    if (this.#own === this.#store) return this.#takeOwn(bucket, requests);
    const stock = this.#stocks.get(bucket) ?? { tokens: 0, from: this.#store, waiting: 0 };
    this.#stocks.set(bucket, stock);
    if (stock.tokens < requests) return this.#waitFor(bucket, stock, requests);
    stock.tokens -= requests;
    return 0;
  }

  #takeOwn(bucket: string, requests: number): number {
    const { tokens, waitMs } = this.#own.take(bucket, this.#rate, requests);
    if (tokens === requests) return 0;
    this.#own.take(bucket, this.#rate, -tokens);
    return waitMs + this.#msFor(requests - Math.max(tokens, 1));
  }

  async #waitFor(bucket: string, stock: TokenStock, requests: number): Promise<number> {
    stock.waiting += requests;
    let waitMs = 0;
    while (stock.tokens < requests && waitMs === 0)
      waitMs = await (stock.answer ??= this.#refill(bucket, stock));
    stock.waiting -= requests;
    if (waitMs > 0) return waitMs + this.#msFor(requests - stock.tokens - 1);
    stock.tokens -= requests;
    return 0;
  }

  readonly #msFor = (tokens: number): number => Math.ceil((tokens / this.#rate.perSecond) * 1000);

  async #refill(bucket: string, stock: TokenStock): Promise<number> {
    const take = async (from: Store): Promise<number> => {
      const most = Math.max(this.#ahead, stock.waiting);
      const { tokens, waitMs } = await from.take(bucket, this.#rate, most);
      Object.assign(stock, { tokens: stock.tokens + tokens, from, answer: undefined });
      return waitMs;
    };
    const waitMs = await take(this.#store).catch(() => take(this.#own));
    clearTimeout(stock.timer);
    stock.timer = inBackground(setTimeout(() => void this.#giveBack(bucket, stock), KEPT_MS));
    return waitMs;
  }

  async #giveBack(bucket: string, stock: TokenStock): Promise<void> {
    if (stock.waiting === 0) this.#stocks.delete(bucket);
    const { tokens, from } = stock;
    stock.tokens = 0;
    try {
      if (tokens > 0) await from.take(bucket, this.#rate, -tokens);
    } catch {
      // The tokens are lost, like those of a replica that dies.
    }
  }
}
