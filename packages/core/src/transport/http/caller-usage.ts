import type { Replica } from "../../connection/replica.ts";
import { inBackground } from "../../timing/timers.ts";
import { isObject } from "../../jsonrpc/message.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { Shares } from "../../connection/shares.ts";

/** What one person may use at once, across all clients and replicas. The default is a quarter of the limit of one process. */
export interface CallerLimits {
  readonly requests?: number;
  /** Streams that stay open until they are ended. */
  readonly streams?: number;
  readonly sessions?: number;
  /** Bytes of bodies. */
  readonly body?: number;
}

type Kind = keyof CallerLimits;

type Usage = { readonly [kind: string]: { readonly [person: string]: number } };

interface UsageReport {
  readonly at: number;
  readonly usage: Usage;
}

const LOG = "usage";
const LIMITS = { most: 100, ttlMs: 10_000 };
const TELL_MS = 1000;
/** Older reports are ignored: the replica has ended, or its callers use nothing. */
const BELIEVED_MS = 4000;
/** Only the largest users of each kind are reported: the others are not near a limit. */
const MOST_TOLD = 100;

/**
 * What callers use at once, here and on other replicas. Each replica reports the usage of its callers once a second, so that
 * no request waits for the store; for that long, a limit may be exceeded.
 */
export class CallerUsage {
  readonly #replica: Replica;
  readonly #limits: CallerLimits;
  readonly #shares = new Map<Kind, Shares>();
  readonly #others = new Map<string, UsageReport>();
  readonly #stop: () => void = () => undefined;
  #isTold = true;

  constructor(replica: Replica, limits: CallerLimits) {
    this.#replica = replica;
    this.#limits = limits;
    if (replica.isAlone) return;
    const unfollow = replica.store.follow(LOG, 0, ({ text }) => this.#hear(text));
    const timer = inBackground(setInterval(() => this.#tell(), TELL_MS));
    this.#stop = () => {
      clearInterval(timer);
      unfollow();
    };
  }

  /** `most` is the limit of this process for all callers together. */
  limit(kind: Kind, most: number): Shares {
    const shares = new Shares(most, this.#limits[kind], (person) => this.#elsewhere(kind, person));
    this.#shares.set(kind, shares);
    return shares;
  }

  close(): void {
    this.#stop();
  }

  #elsewhere(kind: Kind, person: string): number {
    let sum = 0;
    for (const { at, usage } of this.#others.values()) {
      const callers = usage[kind] ?? {};
      // A person may be named "constructor".
      if (Date.now() - at < BELIEVED_MS && Object.hasOwn(callers, person)) sum += callers[person] ?? 0;
    }
    return sum;
  }

  #tell(): void {
    const usage = [...this.#shares].map(([kind, shares]) => [kind, shares.largest(MOST_TOLD)] as const);
    const isNothing = usage.every(([, callers]) => callers.length === 0);
    // That nothing is used is reported only once.
    if (isNothing && this.#isTold) return;
    this.#isTold = isNothing;
    const has = Object.fromEntries(usage.map(([kind, callers]) => [kind, Object.fromEntries(callers)]));
    const append = async (): Promise<unknown> =>
      this.#replica.store.append(LOG, JSON.stringify({ from: this.#replica.id, has }), LIMITS);
    // While the store is unavailable, each replica counts on its own.
    append().catch(() => undefined);
  }

  #hear(text: string): void {
    // Another version may have written a report that this one cannot read.
    const told = parseJson(text);
    const { from, has } = isObject(told) ? told : {};
    if (typeof from !== "string" || !isObject(has) || from === this.#replica.id) return;
    this.#others.set(from, { at: Date.now(), usage: has as Usage });
    for (const [id, { at }] of this.#others) if (Date.now() - at > BELIEVED_MS) this.#others.delete(id);
  }
}
