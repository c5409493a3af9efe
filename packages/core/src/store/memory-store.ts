import { FairMemory, type RetainedItem } from "./fair-memory.ts";
import type { StoredEntry, LogLimits, Rate, SetConditions, Store, TakenTokens } from "./store.ts";

/** Of all values together. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const MOST_LOGS = 1000;
/** The same for logs: streams are limited to 64 MiB for each replica, and the journal to 32. */
const MOST_CHARACTERS_OF_LOGS = 128 * 1024 * 1024;
const MOST_BUCKETS = 10_000;

interface ExpiringValue extends RetainedItem {
  readonly principal: string | undefined;
  readonly value: string;
  readonly until: number;
}

interface StoredLog {
  readonly entries: StoredEntry[];
  last: number;
  characters: number;
  until: number;
  keepsCount: boolean;
}

interface Bucket {
  tokens: number;
  at: number;
}

type EntryListener = (entry: StoredEntry) => void;

/** The store of one process. When full, it forgets the oldest: for values, the oldest of the caller that uses most. */
export class MemoryStore implements Store {
  readonly isShared: boolean;
  readonly #values = new Map<string, ExpiringValue>();
  readonly #memory = new FairMemory(MOST_CHARACTERS);
  readonly #logs = new Map<string, StoredLog>();
  readonly #buckets = new Map<string, Bucket>();
  readonly #followers = new Map<string, Set<EntryListener>>();
  #charactersOfLogs = 0;

  /** `isShared`: used by several servers of one process, as in tests. */
  constructor(isShared = false) {
    this.isShared = isShared;
  }

  get(key: string): string | undefined {
    const kept = this.#values.get(key);
    if (kept === undefined || kept.until > Date.now()) return kept?.value;
    this.delete(key);
    return undefined;
  }

  set(key: string, value: string, { ttlMs, expected, principal }: SetConditions): boolean {
    if (expected && this.get(key) !== expected.value) return false;
    this.delete(key);
    this.#deleteExpired();
    const characters = key.length + value.length;
    const kept = { value, until: Date.now() + ttlMs, principal, characters, drop: () => this.delete(key) };
    this.#values.set(key, kept);
    this.#memory.add(principal, kept);
    return true;
  }

  delete(key: string): void {
    const kept = this.#values.get(key);
    if (kept) this.#memory.delete(kept.principal, kept);
    this.#values.delete(key);
    const log = this.#logs.get(key);
    if (log) this.#empty(log);
  }

  append(name: string, text: string, limits: LogLimits): number {
    const { most, ttlMs, mostCharacters = Number.POSITIVE_INFINITY } = limits;
    const log = this.#find(name) ?? { entries: [], last: 0, characters: 0, until: 0, keepsCount: false };
    const entry = { number: (log.last += 1), text };
    log.entries.push(entry);
    this.#resize(log, text.length);
    while (log.entries.length > most || (log.characters > mostCharacters && log.entries.length > 1)) {
      this.#resize(log, -(log.entries.shift()?.text.length ?? 0));
    }
    log.until = Date.now() + ttlMs;
    log.keepsCount = limits.keepsCount ?? false;
    this.#keepLog(name, log);
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
    return () => {
      followers.delete(own);
      if (followers.size === 0) this.#followers.delete(name);
    };
  }

  take(name: string, { burst, perSecond }: Rate, most: number): TakenTokens {
    const now = Date.now();
    const { tokens, at } = this.#buckets.get(name) ?? { tokens: burst, at: now };
    // A clock set back must not take tokens away.
    const filled = Math.min(burst, tokens + (Math.max(0, now - at) * perSecond) / 1000);
    const taken = Math.min(most, Math.floor(filled));
    // Re-inserted, so that the map begins with the least recently used bucket.
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens: Math.min(burst, filled - taken), at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
    return { tokens: taken, waitMs: taken === 0 ? Math.ceil(((1 - filled) / perSecond) * 1000) : 0 };
  }

  /** Does nothing: other servers may still use the store. */
  async close(): Promise<void> {}

  /** From the oldest to the first that is still valid: most values are kept for the same time. */
  #deleteExpired(): void {
    const now = Date.now();
    for (const [key, { until }] of this.#values) {
      if (until > now) return;
      this.delete(key);
    }
  }

  #find(name: string): StoredLog | undefined {
    const log = this.#logs.get(name);
    if (log === undefined || log.until > Date.now()) return log;
    this.#empty(log);
    if (log.keepsCount) return log;
    this.#logs.delete(name);
    return undefined;
  }

  /** Moves the log to the end; beyond the limits, the logs that were not written to for longest are forgotten. */
  #keepLog(name: string, log: StoredLog): void {
    this.#logs.delete(name);
    this.#logs.set(name, log);
    for (const [oldest, forgotten] of this.#logs) {
      if (
        oldest === name ||
        (this.#logs.size <= MOST_LOGS && this.#charactersOfLogs <= MOST_CHARACTERS_OF_LOGS)
      )
        break;
      this.#empty(forgotten);
      this.#logs.delete(oldest);
    }
  }

  #resize(log: StoredLog, characters: number): void {
    log.characters += characters;
    this.#charactersOfLogs += characters;
  }

  #empty(log: StoredLog): void {
    log.entries.length = 0;
    this.#resize(log, -log.characters);
  }
}
