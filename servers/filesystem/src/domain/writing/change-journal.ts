import { randomBytes } from "node:crypto";
import { KeyedLocks, type PathGuard, type StopSignal } from "@suite/server-kit/domain";
import type { JournalState, JournalOptions, KeptChanges } from "./changes/journal.ts";
import type { ProcessMark } from "./changes/process-mark.ts";
import type { Recovery } from "./changes/recovery.ts";

/** The record of changes, for undo. It is stored on disk; this class holds only the state of this process. */
export class ChangeJournal implements JournalState {
  readonly options: JournalOptions;
  readonly locks: KeyedLocks = new KeyedLocks();
  readonly kept: Map<string, KeptChanges> = new Map<string, KeptChanges>();
  #owner: ProcessMark | undefined;
  #lastTime = 0;

  constructor(options: JournalOptions) {
    this.options = options;
  }

  async owner(): Promise<ProcessMark> {
    const { createProcessMark } = await import("./changes/process-mark.ts");
    return (this.#owner ??= createProcessMark(this.options.pid));
  }

  async nextId(): Promise<string> {
    const { toChangeId } = await import("./changes/change-record.ts");
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return toChangeId(this.#lastTime, randomBytes(3).toString("hex"));
  }

  /** Finishes or rolls back changes of processes that were killed, and removes their leftovers. Called once after the start. */
  async recover(guard: PathGuard, signal: StopSignal): Promise<Recovery> {
    const { recover } = await import("./changes/recovery.ts");
    return recover(this, guard, signal);
  }
}
