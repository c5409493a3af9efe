import type { Store, StoredEntry } from "./store.ts";

const RETRY_MS = 1000;

/**
 * Passes the entries of one log to a listener, each once and in order. Most arrive with the message that announces them;
 * entries that messages leave out are read from the log.
 */
export class Follower {
  readonly #store: Pick<Store, "read" | "last">;
  readonly #log: string;
  readonly #listener: (entry: StoredEntry) => void;
  #last: number;
  #isReading = false;
  #hasMore = false;
  #isStopped = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    store: Pick<Store, "read" | "last">,
    log: string,
    after: number,
    listener: (entry: StoredEntry) => void,
  ) {
    this.#store = store;
    this.#log = log;
    this.#last = after;
    this.#listener = listener;
  }

  on(message: string): void {
    const space = message.indexOf(" ");
    const number = Number(message.slice(0, space));
    if (!this.#isReading && number === this.#last + 1) this.#emit({ number, text: message.slice(space + 1) });
    else this.catchUp();
  }

  /** Never throws: failed reads are retried. */
  catchUp(): void {
    this.#hasMore = true;
    if (this.#isReading) return;
    this.#isReading = true;
    clearTimeout(this.#retry);
    void this.#readOn();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#hasMore && !this.#isStopped) {
        this.#hasMore = false;
        // After Redis has lost its data, numbering starts again from 1.
        if ((await this.#store.last(this.#log)) < this.#last) this.#last = 0;
        const entries = await this.#store.read(this.#log, this.#last);
        for (const entry of entries) this.#emit(entry);
        // There may be more entries than one read returns.
        this.#hasMore ||= entries.length > 0;
      }
    } catch {
      if (!this.#isStopped) this.#retry = setTimeout(() => this.catchUp(), RETRY_MS).unref();
    } finally {
      // In the same turn as the last check of `#hasMore`: a message in between would not be processed until the next one.
      this.#isReading = false;
    }
  }

  #emit(entry: StoredEntry): void {
    if (this.#isStopped) return;
    this.#last = entry.number;
    this.#listener(entry);
  }
}
