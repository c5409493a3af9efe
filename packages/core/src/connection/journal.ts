import { isObject } from "../jsonrpc/message.ts";
import type { ListKind } from "../model/capabilities.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";
import { inBackground } from "../features/background-timer.ts";
import { StoreUnavailable } from "../store/store.ts";
import type { Replica } from "./replica.ts";

/** What happened that other replicas, or clients of theirs, must know. */
export type News =
  | { readonly kind: "list"; readonly list: ListKind }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "task"; readonly id: string }
  /** About something that another replica may have at hand: a session, or a task. `from` has acted on it already. */
  | {
      readonly kind: "session" | "order";
      readonly id: string;
      readonly from: string;
      readonly message: unknown;
    }
  /** What came before was missed here, and is not in the journal any more. Never written down. */
  | { readonly kind: "gap" };

/** News that say no more the second time than the first: something has changed, look again. */
export type ChangeNews = Extract<News, { readonly kind: "list" | "resource" | "task" }>;

export interface PlacedNews {
  readonly position: number;
  /** Undefined where it cannot be read. */
  readonly news: News | undefined;
}

type NewsListener = (news: News) => void;

const LOG = "journal";
/** Whoever was away for longer looks again anyway. Its numbers only grow: sessions remember which they were told last. */
const LIMITS = {
  most: 10_000,
  mostCharacters: 32 * 1024 * 1024,
  ttlMs: 24 * 60 * 60_000,
  keepsCount: true,
};
const RETRY_MS = 300;
/** A store that is there answers sooner. */
const BEGINNING_MS = 1000;
/** After an outage there may be thousands of changes to write down. */
const WRITING_MS = 3000;

/**
 * The news of a server in one order for all its replicas. Each follows it to the end, and a client that was away can be told
 * what it missed by any of them. A process on its own has no use for the past: there, news are told and forgotten.
 */
export class Journal {
  /** Of what is being told just now, where there is a past to speak of. */
  position: number | undefined;
  readonly #replica: Replica;
  readonly #report: (thrown: unknown) => void;
  readonly #listeners = new Set<NewsListener>();
  /** What could not be written down yet, by what it says. */
  readonly #waiting = new Map<string, ChangeNews>();
  /** An attempt to write down what waited when it began. */
  #attempt: Promise<void> | undefined;
  #isAway = false;
  #seen = 0;
  /** Resolves once news of others are heard here. Undefined from then on. */
  #beginning: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  constructor(replica: Replica, report: (thrown: unknown) => void) {
    this.#replica = replica;
    this.#report = report;
  }

  /** Of the latest that was told here. */
  get seen(): number {
    return this.#seen;
  }

  /** How many changes could not be written down yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  hear(listener: NewsListener): void {
    this.#listeners.add(listener);
  }

  /** Changes get through sooner or later, in their order. */
  announce(change: ChangeNews): void {
    if (this.#replica.isAlone) return this.#tell(change);
    this.#waiting.set(JSON.stringify(change), change);
    // The journal would not keep more either.
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > LIMITS.most && oldest !== undefined) this.#waiting.delete(oldest);
    this.#writeDown();
  }

  /**
   * Resolves once every change that was announced is written down, or has to wait for the store, or takes too long. Undefined
   * where nobody else has to know.
   */
  written(): Promise<void> | undefined {
    return this.#replica.isAlone ? undefined : this.#written();
  }

  /** Resolves with its position once it is written down, and rejects where it cannot be. */
  async publish(news: News): Promise<number> {
    return this.#append(news);
  }

  async readAfter(position: number): Promise<readonly PlacedNews[]> {
    const entries = await this.#replica.store.read(LOG, position);
    return entries.map(({ number, text }) => ({ position: number, news: readNews(text) }));
  }

  last(): MaybePromise<number> {
    return this.#replica.store.last(LOG);
  }

  /** Begins with what happens from now on. */
  start(): void {
    if (!this.#replica.isAlone) this.#beginning = new Promise((resolve) => void this.#begin(resolve));
  }

  /** Resolves once news of others are heard here, and rejects where that takes too long. Undefined where they are. */
  begun(): Promise<void> | undefined {
    return this.#beginning && this.#haveBegun(this.#beginning);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }

  async #haveBegun(beginning: Promise<void>): Promise<void> {
    await inTime(beginning, BEGINNING_MS);
    if (this.#beginning) throw new StoreUnavailable();
  }

  async #begin(begun: () => void): Promise<void> {
    try {
      this.#follow(await this.#replica.store.last(LOG));
      this.#beginning = undefined;
      begun();
    } catch {
      this.#later(() => void this.#begin(begun));
    }
  }

  #follow(after: number): void {
    if (this.#isClosed) return;
    const { store } = this.#replica;
    this.#seen = after;
    this.#stop = store.follow(LOG, after, ({ number, text }) => {
      const isNext = number === this.#seen + 1;
      this.#seen = this.position = number;
      if (!isNext) this.#tell({ kind: "gap" });
      const news = readNews(text);
      if (news) this.#tell(news);
      this.position = undefined;
    });
  }

  async #written(): Promise<void> {
    // Changes of lists are gathered for a turn.
    await Promise.resolve();
    if (this.#attempt) await inTime(this.#attempts(), WRITING_MS);
  }

  /** One that is under way may have begun before the latest change. */
  async #attempts(): Promise<void> {
    await this.#attempt;
    await this.#attempt;
  }

  #writeDown(): void {
    if (this.#isAway || this.#waiting.size === 0) return;
    this.#attempt ??= this.#flush().finally(() => {
      this.#attempt = undefined;
      this.#writeDown();
    });
  }

  async #flush(): Promise<void> {
    // What comes later is for the next attempt: whoever waits for this one would else wait for all of those.
    const waiting = [...this.#waiting];
    try {
      for (const [key, change] of waiting) {
        // Taken out before it is written: what changes while that goes on is news again.
        this.#waiting.delete(key);
        await this.#append(change).catch((thrown: unknown) => {
          this.#putBack(key, change);
          throw thrown;
        });
      }
    } catch {
      this.#isAway = true;
      this.#later(() => {
        this.#isAway = false;
        this.#writeDown();
      });
    }
  }

  /** In front: it came before all that waits. */
  #putBack(key: string, change: ChangeNews): void {
    if (this.#waiting.size >= LIMITS.most) return;
    const others = [...this.#waiting];
    this.#waiting.clear();
    this.#waiting.set(key, change);
    for (const [other, waiting] of others) this.#waiting.set(other, waiting);
  }

  async #append(news: News): Promise<number> {
    return this.#replica.store.append(LOG, JSON.stringify(news), LIMITS);
  }

  #later(work: () => void): void {
    if (!this.#isClosed) inBackground(setTimeout(work, RETRY_MS));
  }

  /** Another version may write what this one cannot read; that must not end what follows. */
  #tell(news: News): void {
    for (const listener of this.#listeners) {
      try {
        listener(news);
      } catch (thrown) {
        this.#report(thrown);
      }
    }
  }
}

/** Resolves with the work, or after a while without it. */
async function inTime(work: Promise<void>, mostMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, mostMs)));
  await Promise.race([work, tooLong]);
  clearTimeout(timer);
}

function readNews(text: string): News | undefined {
  try {
    const news: unknown = JSON.parse(text);
    return isObject(news) ? (news as News) : undefined;
  } catch {
    return undefined;
  }
}
