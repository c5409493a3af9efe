import { INTERNAL_ERROR } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import { pauseInBackground } from "../timing/timers.ts";
import type { Replica } from "./replica.ts";
import type { Task } from "./task.ts";

interface TaskRecord {
  readonly principal: string | null;
  readonly owner: string;
  readonly detail: Params;
}

const RETRY_MS = 300;

const keyOf = (id: string): string => `task:${id}`;

/** What every replica can look up about tasks. */
export class TaskRecords {
  readonly #replica: Replica;
  readonly #ttlMs: number;
  /** Records that are being written, and whether the task has changed meanwhile. */
  readonly #writing = new Map<string, { again: boolean }>();

  constructor(replica: Replica, ttlMs: number) {
    this.#replica = replica;
    this.#ttlMs = ttlMs;
  }

  async write(task: Task): Promise<void> {
    const { id: owner, store } = this.#replica;
    const record: TaskRecord = { principal: task.principal ?? null, owner, detail: task.detail() };
    await store.set(keyOf(task.id), JSON.stringify(record), { ttlMs: this.#ttlMs });
  }

  /** Retries until the record is written; changes made meanwhile are combined. Resolves once nothing is left to write. */
  async update(task: Task, written: () => void): Promise<void> {
    const writing = this.#writing.get(task.id);
    if (writing) {
      writing.again = true;
      return;
    }
    const own = { again: true };
    this.#writing.set(task.id, own);
    while (own.again) {
      own.again = false;
      try {
        await this.write(task);
        written();
      } catch {
        own.again = true;
        await pauseInBackground(RETRY_MS);
      }
    }
    this.#writing.delete(task.id);
  }

  forget(id: string): void {
    Promise.resolve(this.#replica.store.delete(keyOf(id))).catch(() => undefined);
  }

  /** Marks an unfinished task whose owner is gone as failed; `abandoned` is called on the replica that does. */
  async find(id: string, abandoned: () => void): Promise<TaskRecord | undefined> {
    const { store } = this.#replica;
    const text = await store.get(keyOf(id));
    if (text === undefined) return undefined;
    const record = JSON.parse(text) as TaskRecord;
    const { status } = record.detail;
    const isOpen = status === "working" || status === "input_required";
    if (!isOpen || !(await this.#replica.hasGone(record.owner))) return record;
    const failed = JSON.stringify({ ...record, detail: toAbandoned(record.detail) });
    const conditions = { ttlMs: this.#ttlMs, expected: { value: text } };
    if (await store.set(keyOf(id), failed, conditions)) abandoned();
    return this.find(id, abandoned);
  }
}

/** The detail of a task whose owner is gone. */
function toAbandoned({ inputRequests: _, ...detail }: Params): Params {
  const message = "The process that worked on this task has ended: how far it got is unknown";
  return {
    ...detail,
    status: "failed",
    statusMessage: message,
    lastUpdatedAt: new Date().toISOString(),
    error: { code: INTERNAL_ERROR, message },
  };
}
