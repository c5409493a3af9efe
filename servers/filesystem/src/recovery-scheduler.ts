import { existsSync } from "node:fs";
import { join } from "node:path";

import type { PathGuard } from "@suite/server-kit/domain";
import type { StderrLog } from "@suite/server-kit/program";

import { TRASH_NAME } from "./domain/reserved-names.ts";
import type { ChangeJournal } from "./domain/writing/changes/journal.ts";

/** Without a trash nothing was ever changed, so the recovery code need not be loaded. */
const hasTrash = (root: string): boolean => existsSync(join(root, TRASH_NAME));

/** A limit, because a client may change its roots often. Recovering once more is cheap. */
const MOST_SEEN = 32;

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Recovers changes of servers that were killed: once per set of roots, after the first answer is written. */
export class RecoveryScheduler {
  readonly #changes: ChangeJournal;
  readonly #log: Pick<StderrLog, "warning">;
  readonly #isReadOnly: boolean;
  readonly #stop = new AbortController();
  readonly #seen = new Set<string>();
  #running: Promise<void> = Promise.resolve();

  constructor(changes: ChangeJournal, log: Pick<StderrLog, "warning">, isReadOnly: boolean) {
    this.#changes = changes;
    this.#log = log;
    this.#isReadOnly = isReadOnly;
  }

  schedule(guard: PathGuard): void {
    const key = guard.roots.join("\0");
    if (this.#isReadOnly || this.#seen.has(key)) return;
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(key);
    // The first answer is created in this turn and written at its end: recover after that.
    this.#running = this.#running
      .then(nextTurn)
      .then(nextTurn)
      .then(() => this.#recover(guard));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #recover(guard: PathGuard): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted || !guard.roots.some(hasTrash)) return;
    try {
      const { recover } = await import("./domain/writing/changes/recovery.ts");
      const found = await recover(this.#changes, guard, signal);
      const count = Object.values(found).flat().length;
      if (count > 0) this.#log.warning(`recovered: ${JSON.stringify(found)}`);
    } catch (thrown) {
      if (!signal.aborted) this.#log.warning(`cannot clean up after an earlier run: ${String(thrown)}`);
    }
  }
}
