import type { MaybePromise } from "@suite/core";
import type { Rate, TakenTokens } from "@suite/core/replicas";

/**
 * What the replicas of one server share: values, records, logs and token buckets, by key. Everything in it is bounded or
 * expires. Operations of a remote store reject with `StoreUnavailable` if they fail.
 */
export interface Store {
  get(key: string): MaybePromise<string | undefined>;
  /** False, and nothing is set, if the current value is not the `expected` one (undefined: no value). */
  set(key: string, value: string, conditions: SetConditions): MaybePromise<boolean>;
  /** Deletes a value, a record, or the entries of a log, whose numbering continues. */
  delete(key: string): MaybePromise<void>;
  /** Sets fields of a record, and renews its lifetime. */
  setFields(record: string, fields: Fields, conditions: RecordConditions): MaybePromise<RecordOutcome>;
  deleteField(record: string, field: string): MaybePromise<void>;
  /** All fields, or those named that exist. Undefined if there is no record, or it has none of those named. */
  fields(record: string, names?: readonly string[]): MaybePromise<Fields | undefined>;
  /** Renews the lifetime of a record, if there is one. */
  renew(record: string, ttlMs: number): MaybePromise<void>;
  /** Returns the number of the new entry; the first in a log has number 1. */
  append(log: string, entry: string, limits: LogLimits): MaybePromise<number>;
  /** The kept entries after number `after`, oldest first. There may be more than are returned: read on after the last. */
  read(log: string, after: number): MaybePromise<readonly StoredEntry[]>;
  /** The number of the latest entry; 0 if there is none. */
  last(log: string): MaybePromise<number>;
  /**
   * Calls back for every entry after `after`, existing ones included, each once and in order. Entries missed while the store
   * was unavailable follow when it is back.
   */
  follow(log: string, after: number, listener: (entry: StoredEntry) => void): () => void;
  /** Takes as many tokens as there are, up to `most`. A negative `most` gives tokens back. */
  take(bucket: string, rate: Rate, most: number): MaybePromise<TakenTokens>;
  close(): Promise<void>;
}

/** When a value is set, and how long it is kept. */
export interface SetConditions {
  readonly ttlMs: number;
  /** If missing, the value is set unconditionally. */
  readonly expected?: { readonly value: string | undefined };
}

/** A record: texts by name. */
export type Fields = { readonly [field: string]: string };

/** When a record is written, how large it may become, and how long it is kept. */
export interface RecordConditions {
  readonly ttlMs: number;
  /** Of all names and values together. */
  readonly mostCharacters: number;
  /** Otherwise the record has to exist already. */
  readonly isNew?: boolean;
}

/** "gone": there is no such record. "full": it would become too large. Nothing is set in either case. */
export type RecordOutcome = "set" | "gone" | "full";

/** What of a log is kept, and for how long. */
export interface LogLimits {
  /** The oldest entries beyond it are forgotten. */
  readonly most: number;
  /** The same for the characters of all entries together. The newest entry is always kept. */
  readonly mostCharacters?: number;
  /** Since the last entry. */
  readonly ttlMs: number;
  /** Whether numbering continues after all entries have expired. */
  readonly keepsCount?: boolean;
}

/** One entry of a log. Numbers grow by one. */
export interface StoredEntry {
  readonly number: number;
  readonly text: string;
}
