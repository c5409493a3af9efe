import { type MaybePromise, StoreUnavailable } from "@suite/core";
import type { Rate, TakenTokens } from "@suite/core/replicas";

import type {
  Fields,
  LogLimits,
  RecordConditions,
  RecordOutcome,
  SetConditions,
  Store,
  StoredEntry,
} from "../src/store.ts";

export type Held = "get" | "set" | "append" | "read" | "news";

/** What one replica sees of a store: answers and news may come late, in any order, or not at all. */
export class StoreLine implements Store {
  isDown = false;
  readonly #store: Store;
  readonly #held = new Map<Held, (() => void)[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  hold(what: Held): void {
    if (!this.#held.has(what)) this.#held.set(what, []);
  }

  holds(what: Held): number {
    return this.#held.get(what)?.length ?? 0;
  }

  release(what: Held): void {
    this.passLater(what)();
  }

  heal(): void {
    this.isDown = false;
    for (const what of this.#held.keys()) this.release(what);
  }

  /** Holds no more. What was held until now waits for the call. */
  passLater(what: Held): () => void {
    const held = this.#held.get(what) ?? [];
    this.#held.delete(what);
    return () => {
      for (const pass of held) pass();
    };
  }

  get(key: string): MaybePromise<string | undefined> {
    return this.#late("get", () => this.#store.get(key));
  }

  set(key: string, value: string, conditions: SetConditions): MaybePromise<boolean> {
    return this.#late("set", () => this.#store.set(key, value, conditions));
  }

  delete(key: string): MaybePromise<void> {
    return this.#ask(() => this.#store.delete(key));
  }

  setFields(record: string, fields: Fields, conditions: RecordConditions): MaybePromise<RecordOutcome> {
    return this.#late("set", () => this.#store.setFields(record, fields, conditions));
  }

  deleteField(record: string, field: string): MaybePromise<void> {
    return this.#ask(() => this.#store.deleteField(record, field));
  }

  fields(record: string, names?: readonly string[]): MaybePromise<Fields | undefined> {
    return this.#late("get", () => this.#store.fields(record, names));
  }

  renew(record: string, ttlMs: number): MaybePromise<void> {
    return this.#ask(() => this.#store.renew(record, ttlMs));
  }

  append(log: string, text: string, limits: LogLimits): MaybePromise<number> {
    return this.#late("append", () => this.#store.append(log, text, limits));
  }

  read(log: string, after: number): MaybePromise<readonly StoredEntry[]> {
    return this.#late("read", () => this.#store.read(log, after));
  }

  last(log: string): MaybePromise<number> {
    return this.#ask(() => this.#store.last(log));
  }

  follow(log: string, after: number, listener: (entry: StoredEntry) => void): () => void {
    return this.#store.follow(log, after, (entry) => {
      const held = this.#held.get("news");
      if (held) held.push(() => listener(entry));
      else listener(entry);
    });
  }

  take(bucket: string, rate: Rate, most: number): MaybePromise<TakenTokens> {
    return this.#ask(() => this.#store.take(bucket, rate, most));
  }

  async close(): Promise<void> {}

  #ask<T>(work: () => T): T {
    if (this.isDown) throw new StoreUnavailable();
    return work();
  }

  /** It happens now, and is known here once it is released, or never where the line is down by then. */
  #late<T>(what: Held, work: () => MaybePromise<T>): MaybePromise<T> {
    const answer = this.#ask(work);
    const held = this.#held.get(what);
    if (!held) return answer;
    return new Promise((resolve, reject) => {
      held.push(() => (this.isDown ? reject(new StoreUnavailable()) : resolve(answer)));
    });
  }
}
