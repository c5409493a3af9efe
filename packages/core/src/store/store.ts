import { INTERNAL_ERROR, ProtocolError } from "../jsonrpc/error.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";

/**
 * What the replicas of one server share: values, logs and token buckets, by key. Everything in it is bounded or expires. A
 * store in memory answers at once; a remote one returns promises, which reject with `StoreUnavailable` if they fail.
 */
export interface Store {
  /** Whether other replicas use it. If not, a process can rely on its own memory alone. */
  readonly isShared: boolean;
  get(key: string): MaybePromise<string | undefined>;
  /** False, and nothing is set, if the current value is not the `expected` one (undefined: no value). */
  set(key: string, value: string, conditions: SetConditions): MaybePromise<boolean>;
  /** Deletes a value, or the entries of a log, whose numbering continues. */
  delete(key: string): MaybePromise<void>;
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

export interface SetConditions {
  readonly ttlMs: number;
  /** The caller for whom it is kept: when full, a store may forget the oldest values of the caller that uses most. */
  readonly principal?: string | undefined;
  /** If missing, the value is set unconditionally. */
  readonly expected?: { readonly value: string | undefined };
}

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
  /** Milliseconds until the next token, if none was taken. */
  readonly waitMs: number;
}

/** The store cannot be reached right now. Whether it carried out the operation is unknown. */
export class StoreUnavailable extends ProtocolError {
  constructor(cause?: unknown) {
    const message =
      "The store that this server's replicas share cannot be reached right now: try again in a second";
    super(INTERNAL_ERROR, message, undefined, { cause });
  }
}
