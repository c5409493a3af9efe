import { randomBytes } from "node:crypto";
import { KeyedLocks, type PathGuard, type StopSignal } from "@suite/server-kit/domain";
import type { JournalState, JournalOptions, KeptChanges } from "./changes/journal.ts";
import type { ProcessMark } from "./changes/process-mark.ts";
import type { Recovery } from "./changes/recovery.ts";

/** What this server changed, and how to take it back. It lies on the disk; here is only what this process adds to it. */
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

  /** Finishes or takes back what processes that were ended had begun, and removes what they left. Once, after a start. */
  async recover(guard: PathGuard, signal: StopSignal): Promise<Recovery> {
    const { recover } = await import("./changes/recovery.ts");
    return recover(this, guard, signal);
  }
}
