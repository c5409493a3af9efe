import { inBackground } from "../features/background-timer.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";

const ALIVE_MS = 8000;
const HEARTBEAT_MS = 2000;
/** Longer than a heartbeat: a store that was away may have forgotten who is there. */
const SECOND_LOOK_MS = 3000;
const ID_LENGTH = 8;
/** As many as there may be sessions unless somebody says otherwise: each may have lost its stream. */
const MOST_LEFT = 10_000;

const aliveKey = (id: string): string => `alive:${id}`;

/** One of the processes that share a store. The others can tell whether it is still there. */
export class Replica {
  readonly store: Store;
  /** The store has been away for longer than anybody should wait for it. */
  isStoreAway = false;
  #id: string | undefined;
  /** When others could not be told that it is there. */
  #missedBeatAt = Number.NEGATIVE_INFINITY;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** What could not be said while the store was away. */
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

  /** Whose name this begins with. */
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
        // While the store is away nobody can look either.
        this.#missedBeatAt = Date.now();
        return;
      }
      await attempt(() => this.#sayWhatIsLeft());
    };
    void beat();
    this.#heartbeat = inBackground(setInterval(() => void beat(), HEARTBEAT_MS));
  }

  /** Once the store is back: a few small words that spare somebody a wait. The oldest go where there are too many. */
  sayLater(say: () => Promise<unknown>): void {
    if (this.#left.push(say) > MOST_LEFT) this.#left.shift();
  }

  /** Whether a replica was there a moment ago. */
  async isThere(id: string): Promise<boolean> {
    return id === this.id || (await this.store.get(aliveKey(id))) !== undefined;
  }

  /** Whether a replica has ended without finishing what it had begun. Takes its time before it says so. */
  async hasGone(id: string): Promise<boolean> {
    if (this.#mayBeSilent || (await this.isThere(id))) return false;
    await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
    return !this.#mayBeSilent && !(await this.isThere(id));
  }

  /** Where this one could not say that it is there, the others could not either. */
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
    // The store is away: there is nothing to be done about it here.
  }
}
