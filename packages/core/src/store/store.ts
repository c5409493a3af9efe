import { INTERNAL_ERROR, ProtocolError } from "../jsonrpc/error.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";

/**
 * What the replicas of one server have in common: values, logs and buckets, by key. Everything in it is bounded or expires.
 * One process answers at once; what takes a connection gives promises, which reject with `StoreUnavailable` in the end.
 */
export interface Store {
  /** Whether anybody else looks. Where nobody does, what a process remembers itself is all there is. */
  readonly isShared: boolean;
  get(key: string): MaybePromise<string | undefined>;
  /** False, and nothing is set, where the value is not the `expected` one: undefined stands for none. */
  set(key: string, value: string, conditions: SetConditions): MaybePromise<boolean>;
  /** A value, or the entries of a log, whose numbering continues. */
  delete(key: string): MaybePromise<void>;
  /** The new entry's number: the log's first has 1. */
  append(log: string, entry: string, limits: LogLimits): MaybePromise<number>;
  /** What is kept of a log after an entry, oldest first. Not all of it where that is much: read on after the last. */
  read(log: string, after: number): MaybePromise<readonly StoredEntry[]>;
  /** The number of the latest entry; 0 for a log without any. */
  last(log: string): MaybePromise<number>;
  /**
   * Calls back for every entry after `after`, each once and in order, those of the past included. What was missed while the
   * store was away comes when it is back.
   */
  follow(log: string, after: number, listener: (entry: StoredEntry) => void): () => void;
  /** Takes as many tokens as there are, up to `most`. A negative number gives that many back. */
  take(bucket: string, rate: Rate, most: number): MaybePromise<TakenTokens>;
  close(): Promise<void>;
}

export interface SetConditions {
  readonly ttlMs: number;
  /** For whom it is kept: a store with little room lets go of what whoever has most of it set first. */
  readonly principal?: string | undefined;
  /** Set whatever there is where this is missing. */
  readonly expected?: { readonly value: string | undefined };
}

export interface LogLimits {
  /** The oldest entries beyond it are forgotten. */
  readonly most: number;
  /** The same for the characters of all entries together. The newest stays, whatever its size. */
  readonly mostCharacters?: number;
  /** Since the last entry. */
  readonly ttlMs: number;
  /** Whether numbering continues where all entries have been forgotten. */
  readonly keepsCount?: boolean;
}

export interface StoredEntry {
  readonly number: number;
  readonly text: string;
}

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface TakenTokens {
  readonly tokens: number;
  /** The milliseconds until there is one, where there was none. */
  readonly waitMs: number;
}

/** The store cannot be reached right now: nothing is known about what was asked of it. */
export class StoreUnavailable extends ProtocolError {
  constructor(cause?: unknown) {
    const message =
      "What the replicas of this server share cannot be reached right now: try again in a second";
    super(INTERNAL_ERROR, message, undefined, { cause });
  }
}
