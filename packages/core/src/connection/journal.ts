import { isObject } from "../jsonrpc/message.ts";
import { parseJson } from "../jsonrpc/parse-json.ts";
import type { ListKind } from "../model/capabilities.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { inBackground, isDoneWithin } from "../timing/timers.ts";
import { StoreUnavailable } from "../store/store.ts";
import type { Replica } from "./replica.ts";

/** Something that other replicas, or their clients, have to know. */
export type News =
  | { readonly kind: "list"; readonly list: ListKind }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "task"; readonly id: string }
  /** A message about a session or a task that another replica may hold. The replica `from` has already acted on it. */
  | {
      readonly kind: "session" | "order";
      readonly id: string;
      readonly from: string;
      readonly message: unknown;
    }
  /** This replica missed news that is no longer in the journal. Only told here, never written to the journal. */
  | { readonly kind: "gap" };

/** News that something has changed. Repeating it adds nothing. */
export type ChangeNews = Extract<News, { readonly kind: "list" | "resource" | "task" }>;

export interface PlacedNews {
  readonly position: number;
  /** Undefined if it cannot be read. */
  readonly news: News | undefined;
}

type NewsListener = (news: News) => void;

const LOG = "journal";
/** After a longer absence, clients look at everything again anyway. `keepsCount`: sessions remember positions. */
const LIMITS = {
  most: 10_000,
  mostCharacters: 32 * 1024 * 1024,
  ttlMs: 24 * 60 * 60_000,
  keepsCount: true,
};
const RETRY_MS = 300;
/** A store that can be reached answers sooner. */
const BEGINNING_MS = 1000;
/** Long enough for the thousands of changes that may wait after an outage. */
const WRITING_MS = 3000;

/**
 * The news of a server, in one order for all its replicas. Each replica follows it, and any of them can tell a client that
 * reconnects what it missed. A process without other replicas keeps no journal: news is told and forgotten.
 */
export class Journal {
  /** The position of the news being told just now, if it comes from the journal. */
  position: number | undefined;
  #seen = 0;
  readonly #replica: Replica;
  readonly #report: (thrown: unknown) => void;
  readonly #listeners = new Set<NewsListener>();
  /** Changes that are not written to the journal yet, by their JSON: each waits only once. */
  readonly #waiting = new Map<string, ChangeNews>();
  /** Writes what was waiting when it began. */
  #attempt: Promise<void> | undefined;
  #isAway = false;
  /** Resolves once this replica follows the journal. Undefined from then on. */
  #beginning: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  constructor(replica: Replica, report: (thrown: unknown) => void) {
    this.#replica = replica;
    this.#report = report;
  }

  /** The position of the latest news told here. */
  get seen(): number {
    return this.#seen;
  }

  /** How many changes are not written to the journal yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  hear(listener: NewsListener): void {
    this.#listeners.add(listener);
  }

  /** Changes are retried until they are written, in order. */
  announce(change: ChangeNews): void {
    if (this.#replica.isAlone) return this.#tell(change);
    this.#waiting.set(JSON.stringify(change), change);
    // The journal itself keeps no more than this.
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > LIMITS.most && oldest !== undefined) this.#waiting.delete(oldest);
    this.#writeDown();
  }

  /**
   * Resolves once every announced change is written, the store turns out to be unavailable, or time is up. Undefined if there
   * are no other replicas.
   */
  written(): Promise<void> | undefined {
    return this.#replica.isAlone ? undefined : this.#written();
  }

  /** Resolves with the position in the journal; rejects if the news cannot be written. */
  async publish(news: News): Promise<number> {
    return this.#replica.store.append(LOG, JSON.stringify(news), LIMITS);
  }

  async readAfter(position: number): Promise<readonly PlacedNews[]> {
    const entries = await this.#replica.store.read(LOG, position);
    return entries.map(({ number, text }) => ({ position: number, news: readNews(text) }));
  }

  last(): MaybePromise<number> {
    return this.#replica.store.last(LOG);
  }

  /** Follows the journal from its current end. */
  start(): void {
    if (!this.#replica.isAlone) this.#beginning = new Promise((resolve) => void this.#begin(resolve));
  }

  /** Resolves once this replica follows the journal, and rejects if that takes too long. Undefined if it already does. */
  begun(): Promise<void> | undefined {
    return this.#beginning && this.#haveBegun(this.#beginning);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }

  async #haveBegun(beginning: Promise<void>): Promise<void> {
    if (!(await isDoneWithin(BEGINNING_MS, beginning))) throw new StoreUnavailable();
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
    // Changes of lists are collected for one turn before they are announced.
    await Promise.resolve();
    if (this.#attempt) await isDoneWithin(WRITING_MS, this.#attempts());
  }

  /** Two, because the one under way may have begun before the latest change. */
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
    // Later changes are left to the next attempt, so that waiting for this one has an end.
    const waiting = [...this.#waiting];
    try {
      for (const [key, change] of waiting) {
        // Removed before it is written: a change during the write has to be announced again.
        this.#waiting.delete(key);
        await this.publish(change).catch((thrown: unknown) => {
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

  /** Puts it first: it came before all others that wait. */
  #putBack(key: string, change: ChangeNews): void {
    if (this.#waiting.size >= LIMITS.most) return;
    const others = [...this.#waiting];
    this.#waiting.clear();
    this.#waiting.set(key, change);
    for (const [other, waiting] of others) this.#waiting.set(other, waiting);
  }

  #later(work: () => void): void {
    if (!this.#isClosed) inBackground(setTimeout(work, RETRY_MS));
  }

  /** A listener may fail on news that another version wrote; the other listeners still have to hear it. */
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

function readNews(text: string): News | undefined {
  const news = parseJson(text);
  return isObject(news) ? (news as News) : undefined;
}
