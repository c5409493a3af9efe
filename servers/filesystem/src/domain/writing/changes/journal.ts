import { randomBytes } from "node:crypto";
import { KeyedLocks } from "@suite/server-kit/domain";
import type { ProcessMark } from "./process-mark.ts";

export interface JournalOptions {
  /** false: replaced and removed content is not kept, so nothing can be undone. */
  readonly keep: boolean;
  /** Limits for each root: the oldest changes are removed first, the newest is always kept. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Whether authenticated callers may see and undo each other's changes. */
  readonly isShared?: boolean;
  /** The id of this process: distinguishes leftovers of killed processes from files still in use. */
  readonly pid: number;
}

/** The kept changes of a root as far as this process knows: other processes may add some. */
export interface KeptChanges {
  /** The size of each change, by id. Cached: finished records do not change. */
  readonly sizes: Map<string, number>;
  bytes: number;
  /** When the folder was last reviewed. */
  seenAt: number;
}

/** The record of changes, for undo. It is stored on disk; this class holds only the state of this process. */
export class ChangeJournal {
  readonly options: JournalOptions;
  /** One change at a time for each file, in the order of the calls. */
  readonly locks: KeyedLocks = new KeyedLocks();
  /** Kept changes by root. */
  readonly kept: Map<string, KeptChanges> = new Map<string, KeptChanges>();
  #owner: ProcessMark | undefined;
  #lastTime = 0;

  constructor(options: JournalOptions) {
    this.options = options;
  }

  async owner(): Promise<ProcessMark> {
    const { createProcessMark } = await import("./process-mark.ts");
    return (this.#owner ??= createProcessMark(this.options.pid));
  }

  /** Ids sort by time, even within one millisecond. */
  async nextId(): Promise<string> {
    const { toChangeId } = await import("./change-record.ts");
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return toChangeId(this.#lastTime, randomBytes(3).toString("hex"));
  }
}
