import { Fault } from "../errors/fault.ts";
import { toAbortFault } from "../errors/to-fault.ts";

interface Lane {
  running: number;
  /** When the next request may start. */
  nextStart: number;
  readonly waiting: (() => void)[];
}

export interface LaneLimits {
  readonly concurrency: number;
  readonly minIntervalMs: number;
  /** Over all hosts. */
  readonly total: number;
}

const MOST_WAITING = 1000;
const MOST_HOLDS = 1000;

/** How many requests run at once, per host and in all, and how long a host wants to be left alone. */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #lanes = new Map<string, Lane>();
  readonly #everything: Lane = { running: 0, nextStart: 0, waiting: [] };
  /** Hosts that asked us to come back later, and when. */
  readonly #heldUntil = new Map<string, number>();
  #waiting = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Waits for a turn. Whoever got one gives it back with what is returned. */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    this.#requireNotHeld(host);
    const lane = this.#laneOf(host);
    await this.#take(lane, this.#limits.concurrency, signal);
    let isOver = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      release(this.#everything);
      this.#leaveLane(host, lane);
    };
    try {
      await this.#pause(lane, signal);
      await this.#take(this.#everything, this.#limits.total, signal);
    } catch (thrown) {
      this.#leaveLane(host, lane);
      throw thrown;
    }
    return leave;
  }

  /** Nobody bothers this host again before then. */
  hold(host: string, ms: number): void {
    if (this.#heldUntil.size >= MOST_HOLDS) this.#heldUntil.clear();
    this.#heldUntil.set(host, Date.now() + ms);
  }

  #requireNotHeld(host: string): void {
    const until = this.#heldUntil.get(host);
    if (until === undefined) return;
    const retryAfterMs = until - Date.now();
    if (retryAfterMs > 0) throw createRateLimited(host, retryAfterMs);
    this.#heldUntil.delete(host);
  }

  #laneOf(host: string): Lane {
    const known = this.#lanes.get(host);
    if (known) return known;
    const lane: Lane = { running: 0, nextStart: 0, waiting: [] };
    this.#lanes.set(host, lane);
    return lane;
  }

  async #take(lane: Lane, most: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw toAbortFault(signal);
    if (lane.running < most) {
      lane.running += 1;
      return;
    }
    if (this.#waiting >= MOST_WAITING) {
      throw new Fault("rate_limited", "Too many requests are waiting already", { retryAfterMs: 1000 });
    }
    this.#waiting += 1;
    try {
      await waitInLine(lane, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #pause(lane: Lane, signal: AbortSignal): Promise<void> {
    const { minIntervalMs } = this.#limits;
    if (minIntervalMs === 0) return;
    const start = Math.max(Date.now(), lane.nextStart);
    lane.nextStart = start + minIntervalMs;
    if (start <= Date.now()) return;
    const { setTimeout: sleep } = await import("node:timers/promises");
    await sleep(start - Date.now(), undefined, { signal }).catch(() => {
      throw toAbortFault(signal);
    });
  }

  #leaveLane(host: string, lane: Lane): void {
    release(lane);
    // Kept while its next start lies ahead, or a host could be asked again too soon.
    if (lane.running > 0) return;
    const rest = lane.nextStart - Date.now();
    const forget = (): void => {
      if (lane.running === 0) this.#lanes.delete(host);
    };
    if (rest <= 0) forget();
    else setTimeout(forget, rest).unref();
  }
}

function waitInLine(lane: Lane, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    };
    const giveUp = (): void => {
      lane.waiting.splice(lane.waiting.indexOf(enter), 1);
      reject(toAbortFault(signal));
    };
    lane.waiting.push(enter);
    signal.addEventListener("abort", giveUp);
  });
}

/** Hands the place on to the next in line, if there is one. */
function release(lane: Lane): void {
  const next = lane.waiting.shift();
  if (next) next();
  else lane.running -= 1;
}

export const createRateLimited = (host: string, retryAfterMs: number | undefined): Fault =>
  new Fault("rate_limited", `${host} asks to be left alone for a while`, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    hint:
      retryAfterMs === undefined
        ? "Try again later, and less often."
        : `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`,
  });
