import { toAbortFault } from "../errors/to-fault.ts";
import type { StopSignal } from "../errors/stop-signal.ts";

/**
 * Serializes work on the same key, in the order of the calls. Not reentrant: work that asks for a key it already holds
 * deadlocks.
 */
export class KeyedLocks {
  /** The queue of waiting calls, for each held key. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** How many keys are held right now. */
  get size(): number {
    return this.#waiting.size;
  }

  async run<T>(keys: readonly string[], signal: StopSignal, work: () => T | Promise<T>): Promise<T> {
    if (signal.aborted) throw toAbortFault(signal);
    const held: string[] = [];
    try {
      // Always in the same order, to avoid deadlocks.
      for (const key of [...new Set(keys)].toSorted()) {
        const queue = this.#waiting.get(key);
        if (queue) await waitInLine(queue, signal);
        else this.#waiting.set(key, []);
        held.push(key);
      }
      // It may have been aborted between getting the lock and this line.
      if (signal.aborted) throw toAbortFault(signal);
      return await work();
    } finally {
      for (const key of held) this.#release(key);
    }
  }

  #release(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) next();
    else this.#waiting.delete(key);
  }
}

/** Waits until somebody takes the entry out of the queue and calls it. Leaves the queue if the signal is aborted. */
export function waitInLine(queue: (() => void)[], signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      queue.splice(queue.indexOf(enter), 1);
      reject(toAbortFault(signal));
    };
    queue.push(enter);
    signal.addEventListener("abort", leave);
  });
}
