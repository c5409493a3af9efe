import { inBackground, pause } from "../timing/timers.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";

const ALIVE_MS = 8000;
const HEARTBEAT_MS = 2000;
/** Longer than a heartbeat: after an outage, the store may have forgotten which replicas are alive. */
const SECOND_LOOK_MS = 3000;
const ID_LENGTH = 8;
/** The default limit of sessions: each of them may have lost its stream. */
const MOST_LEFT = 10_000;

const aliveKey = (id: string): string => `alive:${id}`;

/** One of the processes that share a store. The others can tell whether it is still alive. */
export class Replica {
  readonly store: Store;
  /** The store has been unavailable for so long that nothing waits for it any more. */
  isStoreAway = false;
  #id: string | undefined;
  /** When a heartbeat last failed. */
  #missedBeatAt = Number.NEGATIVE_INFINITY;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** Writes to repeat, which failed while the store was unavailable. */
  readonly #left: (() => Promise<unknown>)[] = [];

  constructor(store: Store = new MemoryStore()) {
    this.store = store;
  }

  get isAlone(): boolean {
    return !this.store.isShared;
  }

  get id(): string {
    return (this.#id ??= crypto.randomUUID().replaceAll("-", "").slice(0, ID_LENGTH));
  }

  /** The id of the replica that made this name: its first characters. */
  static ownerOf(name: string): string {
    return name.slice(0, ID_LENGTH);
  }

  start(): void {
    if (this.isAlone || this.#heartbeat !== undefined) return;
    const beat = async (): Promise<void> => {
      try {
        await this.store.set(aliveKey(this.id), "", { ttlMs: ALIVE_MS });
        this.isStoreAway = false;
      } catch {
        // While the store is unavailable, others cannot look for this replica either.
        this.#missedBeatAt = Date.now();
        return;
      }
      await attempt(() => this.#sayWhatIsLeft());
    };
    void beat();
    this.#heartbeat = inBackground(setInterval(() => void beat(), HEARTBEAT_MS));
  }

  /** Repeats a small write, which spares a client a wait, once the store is back. Beyond the limit, the oldest are dropped. */
  sayLater(say: () => Promise<unknown>): void {
    if (this.#left.push(say) > MOST_LEFT) this.#left.shift();
  }

  /** Whether a replica has recently been alive. */
  async isThere(id: string): Promise<boolean> {
    return id === this.id || (await this.store.get(aliveKey(id))) !== undefined;
  }

  /** Whether a replica has ended. Looks twice, some seconds apart, before it says so. */
  async hasGone(id: string): Promise<boolean> {
    if (this.#mayBeSilent || (await this.isThere(id))) return false;
    await pause(SECOND_LOOK_MS);
    return !this.#mayBeSilent && !(await this.isThere(id));
  }

  /** While this replica's heartbeats fail, those of the others may fail too. */
  get #mayBeSilent(): boolean {
    return Date.now() - this.#missedBeatAt < ALIVE_MS;
  }

  async #sayWhatIsLeft(): Promise<void> {
    for (let say = this.#left.shift(); say; say = this.#left.shift()) {
      try {
        await say();
      } catch (thrown) {
        this.sayLater(say);
        throw thrown;
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    if (!this.isAlone) await attempt(() => this.store.delete(aliveKey(this.id)));
    await this.store.close();
  }
}

async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // The store is unavailable; nothing can be done about that here.
  }
}
