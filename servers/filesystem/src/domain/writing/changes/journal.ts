import type { KeyedLocks } from "@suite/server-kit/domain";
import type { ProcessMark } from "./process-mark.ts";

export interface JournalOptions {
  /** false: nothing is kept of what is replaced or removed, and nothing can be undone. */
  readonly keep: boolean;
  /** Bounds of what is kept, for each root: the oldest goes first, the newest always stays. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Whether callers who are known by name see each other's changes, and may take them back. */
  readonly isShared?: boolean;
  /** Of this process: what it leaves behind when it is ended can be told from what others still need. */
  readonly pid: number;
}

/** What a root keeps, as far as this process knows: others may add to it. */
export interface KeptChanges {
  /** How much each change takes, by its id: records do not change any more. */
  readonly sizes: Map<string, number>;
  bytes: number;
  /** When the folder was last looked through. */
  seenAt: number;
}

/** What changing files needs of the process that does it. Everything else about changes lies on the disk. */
export interface JournalState {
  readonly options: JournalOptions;
  /** One at a time for each file, in the order of the calls. */
  readonly locks: KeyedLocks;
  /** What each root keeps, by the root. */
  readonly kept: Map<string, KeptChanges>;
  owner(): Promise<ProcessMark>;
  /** Ids sort by time, also those of one millisecond. */
  nextId(): Promise<string>;
}
