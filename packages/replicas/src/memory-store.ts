import { type Rate, type TakenTokens, TokenBucket } from "@suite/core/replicas";

import type {
  Fields,
  LogLimits,
  RecordConditions,
  RecordOutcome,
  SetConditions,
  Store,
  StoredEntry,
} from "./store.ts";

interface Expiring<T> {
  readonly value: T;
  until: number;
}

interface StoredLog {
  readonly entries: StoredEntry[];
  last: number;
  until: number;
  keepsCount: boolean;
}

type EntryListener = (entry: StoredEntry) => void;

/** A store for several servers in one process, as in tests. It answers at once, and forgets only what has expired. */
export class MemoryStore implements Store {
  readonly #values = new Map<string, Expiring<string>>();
  readonly #records = new Map<string, Expiring<Map<string, string>>>();
  readonly #logs = new Map<string, StoredLog>();
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #followers = new Map<string, Set<EntryListener>>();

  get(key: string): string | undefined {
    return findValid(this.#values, key);
  }

  set(key: string, value: string, { ttlMs, expected }: SetConditions): boolean {
    if (expected && this.get(key) !== expected.value) return false;
    this.#values.set(key, { value, until: Date.now() + ttlMs });
    return true;
  }

  delete(key: string): void {
    this.#values.delete(key);
    this.#records.delete(key);
    this.#logs.get(key)?.entries.splice(0);
  }

  setFields(name: string, fields: Fields, { ttlMs, mostCharacters, isNew }: RecordConditions): RecordOutcome {
    const kept = findValid(this.#records, name);
    if (!kept && !isNew) return "gone";
    const changed = new Map([...(kept ?? []), ...Object.entries(fields)]);
    const characters = [...changed].reduce((sum, [field, value]) => sum + field.length + value.length, 0);
    if (characters > mostCharacters) return "full";
    this.#records.set(name, { value: changed, until: Date.now() + ttlMs });
    return "set";
  }

  deleteField(name: string, field: string): void {
    findValid(this.#records, name)?.delete(field);
  }

  fields(name: string, names?: readonly string[]): Fields | undefined {
    const kept = [...(findValid(this.#records, name) ?? [])];
    const found = names ? kept.filter(([field]) => names.includes(field)) : kept;
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  }

  renew(name: string, ttlMs: number): void {
    const record = this.#records.get(name);
    if (findValid(this.#records, name) && record) record.until = Date.now() + ttlMs;
  }

  append(name: string, text: string, limits: LogLimits): number {
    const { most, ttlMs, mostCharacters = Number.POSITIVE_INFINITY, keepsCount = false } = limits;
    const log = this.#find(name) ?? { entries: [], last: 0, until: 0, keepsCount };
    this.#logs.set(name, log);
    const entry = { number: (log.last += 1), text };
    log.entries.push(entry);
    let characters = log.entries.reduce((sum, kept) => sum + kept.text.length, 0);
    while (log.entries.length > most || (characters > mostCharacters && log.entries.length > 1))
      characters -= log.entries.shift()?.text.length ?? 0;
    Object.assign(log, { until: Date.now() + ttlMs, keepsCount });
    for (const listener of this.#followers.get(name) ?? []) listener(entry);
    return entry.number;
  }

  read(name: string, after: number): readonly StoredEntry[] {
    return this.#find(name)?.entries.filter(({ number }) => number > after) ?? [];
  }

  last(name: string): number {
    return this.#find(name)?.last ?? 0;
  }

  follow(name: string, after: number, listener: EntryListener): () => void {
    const followers = this.#followers.get(name) ?? new Set();
    this.#followers.set(name, followers);
    // A separate function, so that one listener may follow twice.
    const own: EntryListener = (entry) => listener(entry);
    for (const entry of this.read(name, after)) listener(entry);
    followers.add(own);
    return () => void followers.delete(own);
  }

  take(name: string, rate: Rate, most: number): TakenTokens {
    const bucket = this.#buckets.get(name) ?? new TokenBucket(rate);
    this.#buckets.set(name, bucket);
    return bucket.takeUpTo(most);
  }

  /** Does nothing: other servers may still use the store. */
  async close(): Promise<void> {}

  #find(name: string): StoredLog | undefined {
    const log = this.#logs.get(name);
    if (log === undefined || log.until > Date.now()) return log;
    log.entries.length = 0;
    if (!log.keepsCount) this.#logs.delete(name);
    return this.#logs.get(name);
  }
}

function findValid<T>(map: Map<string, Expiring<T>>, key: string): T | undefined {
  const found = map.get(key);
  if (found && found.until <= Date.now()) map.delete(key);
  return map.get(key)?.value;
}
