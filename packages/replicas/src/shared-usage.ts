import {
  type CallerLimits,
  CallerUsage,
  inBackground,
  isObject,
  parseJson,
  type Shares,
} from "@suite/core/replicas";

import type { ReplicaParts } from "./replica-parts.ts";

type Kind = keyof CallerLimits;

type Usage = { readonly [kind: string]: { readonly [person: string]: number } };

interface UsageReport {
  readonly at: number;
  readonly usage: Usage;
}

const LOG = "usage";
const LIMITS = { most: 100, ttlMs: 10_000 };
const REPORT_MS = 1000;
/** Older reports are ignored: the replica has ended, or its callers use nothing. */
const BELIEVED_MS = 4000;
/** Only the largest users of each kind are reported: the others are not near a limit. */
const MOST_REPORTED = 100;

/**
 * What callers use at once, here and on other replicas. Each replica reports the usage of its callers once a second, so that
 * no request waits for the store; for that long, a limit may be exceeded.
 */
export class SharedUsage extends CallerUsage {
  readonly #parts: Pick<ReplicaParts, "store" | "heartbeat">;
  readonly #shares = new Map<Kind, Shares>();
  readonly #others = new Map<string, UsageReport>();
  readonly #stop: () => void;
  #isReported = true;

  constructor(parts: Pick<ReplicaParts, "store" | "heartbeat">, limits: CallerLimits) {
    super(limits);
    this.#parts = parts;
    const unfollow = parts.store.follow(LOG, 0, ({ text }) => this.#read(text));
    const timer = inBackground(setInterval(() => this.#report(), REPORT_MS));
    this.#stop = () => {
      clearInterval(timer);
      unfollow();
    };
  }

  override limit(kind: Kind, most: number): Shares {
    const shares = super.limit(kind, most);
    this.#shares.set(kind, shares);
    return shares;
  }

  override close(): void {
    this.#stop();
  }

  protected override elsewhere(kind: Kind, person: string): number {
    let sum = 0;
    for (const { at, usage } of this.#others.values()) {
      const callers = usage[kind] ?? {};
      // A person may be named "constructor".
      if (Date.now() - at < BELIEVED_MS && Object.hasOwn(callers, person)) sum += callers[person] ?? 0;
    }
    return sum;
  }

  #report(): void {
    const usage = [...this.#shares].map(([kind, shares]) => [kind, shares.largest(MOST_REPORTED)] as const);
    const isNothing = usage.every(([, callers]) => callers.length === 0);
    // That nothing is used is reported only once.
    if (isNothing && this.#isReported) return;
    this.#isReported = isNothing;
    const has = Object.fromEntries(usage.map(([kind, callers]) => [kind, Object.fromEntries(callers)]));
    const { store, heartbeat } = this.#parts;
    const append = async (): Promise<unknown> =>
      store.append(LOG, JSON.stringify({ from: heartbeat.id, has }), LIMITS);
    // While the store is unavailable, each replica counts on its own.
    append().catch(() => undefined);
  }

  #read(text: string): void {
    // Another version may have written a report that this one cannot read.
    const report = parseJson(text);
    const { from, has } = isObject(report) ? report : {};
    if (typeof from !== "string" || !isObject(has) || from === this.#parts.heartbeat.id) return;
    this.#others.set(from, { at: Date.now(), usage: has as Usage });
    for (const [id, { at }] of this.#others) if (Date.now() - at > BELIEVED_MS) this.#others.delete(id);
  }
}
