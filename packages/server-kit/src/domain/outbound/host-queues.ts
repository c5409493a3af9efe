import { Fault } from "../errors/fault.ts";
import { countOf } from "../text/counts.ts";
import { toAbortFault } from "../errors/to-fault.ts";
import { waitInLine } from "../timing/locks.ts";

interface HostQueue {
  running: number;
  /** When the next request may start. */
  nextStart: number;
  readonly waiting: (() => void)[];
}

export interface QueueLimits {
  readonly concurrency: number;
  readonly minIntervalMs: number;
  /** Concurrent requests to all hosts together. */
  readonly total: number;
}

const MOST_WAITING = 1000;
const MOST_HOLDS = 1000;
/** Caps Retry-After: one response must not block a host for an arbitrary time. */
const LONGEST_HOLD_MS = 10 * 60_000;

/** Limits concurrent requests, per host and in total, and observes Retry-After. */
export class HostQueues {
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, HostQueue>();
  readonly #everything: HostQueue = { running: 0, nextStart: 0, waiting: [] };
  /** Hosts that sent Retry-After, and until when nothing is sent to them. */
  readonly #heldUntil = new Map<string, number>();
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Waits for a slot. Call the returned function to release it. */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    this.#requireNotHeld(host);
    const queue = this.#queueOf(host);
    await this.#take(queue, this.#limits.concurrency, signal);
    let isOver = false;
    let isCounted = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      if (isCounted) release(this.#everything);
      this.#leaveQueue(host, queue);
    };
    try {
      await this.#pause(queue, signal);
      await this.#take(this.#everything, this.#limits.total, signal);
      isCounted = true;
      // The host may have asked for a pause meanwhile.
      this.#requireNotHeld(host);
    } catch (thrown) {
      leave();
      throw thrown;
    }
    return leave;
  }

  /** Refuses requests to this host for that time, at most LONGEST_HOLD_MS. */
  hold(host: string, ms: number): void {
    if (this.#heldUntil.size >= MOST_HOLDS) this.#heldUntil.clear();
    this.#heldUntil.set(host, Date.now() + Math.min(ms, LONGEST_HOLD_MS));
  }

  #requireNotHeld(host: string): void {
    const until = this.#heldUntil.get(host);
    if (until === undefined) return;
    const retryAfterMs = until - Date.now();
    if (retryAfterMs > 0)
      throw createRateLimited(`${host} asked for a pause, so nothing is sent to it until then`, retryAfterMs);
    this.#heldUntil.delete(host);
  }

  #queueOf(host: string): HostQueue {
    const known = this.#queues.get(host);
    if (known) return known;
    const queue: HostQueue = { running: 0, nextStart: 0, waiting: [] };
    this.#queues.set(host, queue);
    return queue;
  }

  async #take(queue: HostQueue, most: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw toAbortFault(signal);
    if (queue.running < most) {
      queue.running += 1;
      return;
    }
    if (this.#waiting >= MOST_WAITING) {
      throw new Fault("rate_limited", "Too many requests are waiting already", { retryAfterMs: 1000 });
    }
    this.#waiting += 1;
    try {
      await waitInLine(queue.waiting, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #pause(queue: HostQueue, signal: AbortSignal): Promise<void> {
    const { minIntervalMs } = this.#limits;
    if (minIntervalMs === 0) return;
    const start = Math.max(Date.now(), queue.nextStart);
    queue.nextStart = start + minIntervalMs;
    if (start <= Date.now()) return;
    const { setTimeout: sleep } = await import("node:timers/promises");
    await sleep(start - Date.now(), undefined, { signal }).catch(() => {
      throw toAbortFault(signal);
    });
  }

  #leaveQueue(host: string, queue: HostQueue): void {
    release(queue);
    // Keep the queue until `nextStart`: a new one would not know the minimum interval.
    if (queue.running > 0) return;
    const rest = queue.nextStart - Date.now();
    const forget = (): void => {
      // The host may have a new queue by now.
      if (queue.running === 0 && this.#queues.get(host) === queue) this.#queues.delete(host);
    };
    if (rest <= 0) forget();
    else setTimeout(forget, rest).unref();
  }
}

/** Passes the slot to the next request in line, if there is one. */
function release(queue: HostQueue): void {
  const next = queue.waiting.shift();
  if (next) next();
  else queue.running -= 1;
}

export const createRateLimited = (message: string, retryAfterMs: number | undefined): Fault =>
  new Fault("rate_limited", message, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    hint:
      retryAfterMs === undefined
        ? "Try again later, and less often."
        : `Try again in ${countOf(Math.ceil(retryAfterMs / 1000), "second")}.`,
  });
