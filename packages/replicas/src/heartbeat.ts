import type { Store } from "./store.ts";
import { inBackground, pause } from "@suite/core/replicas";

const ALIVE_MS = 8000;
const HEARTBEAT_MS = 2000;
/** Longer than a heartbeat: after an outage, the store may have forgotten which replicas are alive. */
const SECOND_LOOK_MS = 3000;
const ID_LENGTH = 8;
/** The default limit of sessions: each of them may have lost its stream. */
const MOST_RETRIED = 10_000;

const aliveKey = (id: string): string => `alive:${id}`;

/** The id of the replica that made this name: its first characters. */
export const ownerOf = (name: string): string => name.slice(0, ID_LENGTH);

/** Tells the other processes that share a store that this one is alive, and finds out the same of them. */
export class Heartbeat {
  readonly id: string = crypto.randomUUID().replaceAll("-", "").slice(0, ID_LENGTH);
  /** The store has been unavailable for so long that nothing waits for it any more. */
  isStoreDown = false;
  readonly #store: Store;
  /** When a heartbeat last failed. */
  #missedBeatAt = Number.NEGATIVE_INFINITY;
  /** Until then, no other replica takes this one for dead. */
  #aliveUntil = Date.now() + ALIVE_MS;
  #doubts = 0;
  readonly #onResumed: (() => void)[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  /** Writes to repeat, which failed while the store was unavailable. */
  readonly #retries: (() => Promise<unknown>)[] = [];

  constructor(store: Store) {
    this.#store = store;
    void this.#beat();
    this.#timer = inBackground(setInterval(() => void this.#beat(), HEARTBEAT_MS));
  }

  /**
   * Whether other replicas may have taken this one for dead: it was paused, or could not reach the store. Work that must be
   * done only once must not go on then.
   */
  get isInDoubt(): boolean {
    return Date.now() > this.#aliveUntil;
  }

  /** How often that was so. */
  get doubts(): number {
    return this.#doubts;
  }

  /** Calls back whenever others can see again that this replica is alive. */
  onResumed(listener: () => void): void {
    this.#onResumed.push(listener);
  }

  /** Repeats a small write, which spares a client a wait, once the store is back. Beyond the limit, the oldest are dropped. */
  retryLater(write: () => Promise<unknown>): void {
    if (this.#retries.push(write) > MOST_RETRIED) this.#retries.shift();
  }

  /** Whether a replica has recently been alive. */
  async isAlive(id: string): Promise<boolean> {
    return id === this.id || (await this.#store.get(aliveKey(id))) !== undefined;
  }

  /** Whether a replica does not answer: it has ended, or is paused. Looks twice, some seconds apart, before it says so. */
  async isDead(id: string): Promise<boolean> {
    if (this.#mayBeSilent || (await this.isAlive(id))) return false;
    await pause(SECOND_LOOK_MS);
    return !this.#mayBeSilent && !(await this.isAlive(id));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await attempt(() => this.#store.delete(aliveKey(this.id)));
  }

  /** While this replica's heartbeats fail, or were late, those of the others may have been, too. */
  get #mayBeSilent(): boolean {
    return this.isInDoubt || Date.now() - this.#missedBeatAt < ALIVE_MS;
  }

  async #beat(): Promise<void> {
    const sentAt = Date.now();
    const wasInDoubt = this.isInDoubt;
    if (wasInDoubt) {
      this.#missedBeatAt = sentAt;
      this.#doubts += 1;
    }
    try {
      await this.#store.set(aliveKey(this.id), "", { ttlMs: ALIVE_MS });
      this.isStoreDown = false;
      this.#aliveUntil = sentAt + ALIVE_MS;
    } catch {
      // While the store is unavailable, others cannot look for this replica either.
      this.#missedBeatAt = Date.now();
      return;
    }
    if (wasInDoubt) for (const listener of this.#onResumed) listener();
    await attempt(() => this.#flush());
  }

  async #flush(): Promise<void> {
    for (let write = this.#retries.shift(); write; write = this.#retries.shift()) {
      try {
        await write();
      } catch (thrown) {
        this.retryLater(write);
        throw thrown;
      }
    }
  }
}

async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // The store is unavailable; nothing can be done about that here.
  }
}
