import { setTimeout as sleep } from "node:timers/promises";

const BURST = 10;
const REFILL_MS = 1000;

type Work = (...args: readonly unknown[]) => unknown;
type Limiter = { readonly schedule: (options: unknown, work: Work, ...args: unknown[]) => Promise<unknown> };

/**
 * GitHub asks for a second between writes, and the plugin keeps to it from the second one on. Commits take three: a few at
 * once do no harm, and only whoever goes on has to wait.
 */
export class WritePace {
  #left = BURST;
  #filledAt = Date.now();

  async take(): Promise<void> {
    const now = Date.now();
    this.#left = Math.min(BURST, this.#left + (now - this.#filledAt) / REFILL_MS) - 1;
    this.#filledAt = now;
    if (this.#left < 0) await sleep(-this.#left * REFILL_MS);
  }

  /** In the shape in which the plugin has its own limiters. Searches have a quota of their own, which the plugin minds. */
  toThrottle(): object {
    const asGroup = (schedule: Limiter["schedule"]) => ({ key: (): Limiter => ({ schedule }) });
    return {
      triggersNotification: () => false,
      search: asGroup(async (_, work, ...args) => work(...args)),
      write: asGroup(async (_, work, ...args) => {
        await this.take();
        return work(...args);
      }),
    };
  }
}
