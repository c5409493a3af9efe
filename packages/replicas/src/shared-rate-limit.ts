import type { MaybePromise } from "@suite/core";
import { inBackground, personOf, RateLimit, TokenBuckets, type TakenTokens } from "@suite/core/replicas";

import type { Store } from "./store.ts";

/** How long unused tokens are kept: meanwhile other replicas cannot use them. */
const KEPT_MS = 1000;

type Take = (bucket: string, most: number) => MaybePromise<TakenTokens>;

/** Tokens taken from one bucket and not used yet. */
interface TokenStock {
  tokens: number;
  from: Take;
  /** Messages that wait for the next refill. */
  waiting: number;
  answer?: Promise<number> | undefined;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * One limit for all replicas. A replica takes the tokens of one second at a time, so that not every message asks the store,
 * and returns unused ones. While the store is unavailable, each replica counts on its own.
 */
export class SharedRateLimit extends RateLimit {
  readonly #ahead: number;
  readonly #shared: Take;
  readonly #own: Take;
  readonly #stocks = new Map<string, TokenStock>();

  constructor(perMinute: number, store: Pick<Store, "take">) {
    super(perMinute);
    this.#ahead = Math.max(1, Math.floor(this.rate.perSecond));
    const buckets = new TokenBuckets(this.rate);
    this.#shared = (bucket, most) => store.take(bucket, this.rate, most);
    this.#own = (bucket, most) => buckets.take(bucket, most);
  }

  override take(principal: string | undefined, count = 1): MaybePromise<number> {
    if (count > this.perMinute) return Infinity;
    const bucket = `rate:${personOf(principal ?? "")}`;
    const stock = this.#stocks.get(bucket) ?? { tokens: 0, from: this.#shared, waiting: 0 };
    this.#stocks.set(bucket, stock);
    if (stock.tokens < count) return this.#waitFor(bucket, stock, count);
    stock.tokens -= count;
    return 0;
  }

  async #waitFor(bucket: string, stock: TokenStock, count: number): Promise<number> {
    stock.waiting += count;
    let waitMs = 0;
    while (stock.tokens < count && waitMs === 0)
      waitMs = await (stock.answer ??= this.#refill(bucket, stock));
    stock.waiting -= count;
    if (waitMs > 0) return waitMs + this.msFor(count - stock.tokens - 1);
    stock.tokens -= count;
    return 0;
  }

  async #refill(bucket: string, stock: TokenStock): Promise<number> {
    const takeFrom = async (from: Take): Promise<number> => {
      const most = Math.max(this.#ahead, stock.waiting);
      const { tokens, waitMs } = await from(bucket, most);
      Object.assign(stock, { tokens: stock.tokens + tokens, from, answer: undefined });
      return waitMs;
    };
    const waitMs = await takeFrom(this.#shared).catch(() => takeFrom(this.#own));
    clearTimeout(stock.timer);
    stock.timer = inBackground(setTimeout(() => void this.#giveBack(bucket, stock), KEPT_MS));
    return waitMs;
  }

  async #giveBack(bucket: string, stock: TokenStock): Promise<void> {
    if (stock.waiting === 0) this.#stocks.delete(bucket);
    const { tokens, from } = stock;
    stock.tokens = 0;
    try {
      if (tokens > 0) await from(bucket, -tokens);
    } catch {
      // The tokens are lost, like those of a replica that dies.
    }
  }
}
