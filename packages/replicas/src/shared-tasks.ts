import { INTERNAL_ERROR, type MaybePromise, type Params } from "@suite/core";
import {
  isObject,
  pauseInBackground,
  type Task,
  type TaskLimits,
  Tasks,
  type TaskView,
} from "@suite/core/replicas";

import type { ReplicaMessage } from "./change-log.ts";
import type { ReplicaParts } from "./replica-parts.ts";

interface TaskRecord {
  readonly principal: string | null;
  readonly owner: string;
  readonly detail: Params;
}

/** What a replica asks of the one that works on a task. */
type TaskOrder = { readonly responses: Params } | { readonly cancel: string };

const RETRY_MS = 300;

const keyOf = (id: string): string => `task:${id}`;

/** Tasks that a client may ask for at any replica: each has a record in the store. */
export class SharedTasks extends Tasks {
  readonly #parts: ReplicaParts;
  readonly #ttlMs: number;
  /** Records that are being written, and whether the task has changed meanwhile. */
  readonly #writing = new Map<string, { again: boolean }>();

  constructor(limits: TaskLimits, parts: ReplicaParts) {
    super(limits, parts.changes);
    this.#parts = parts;
    this.#ttlMs = limits.ttlMs;
    parts.changes.on((message) => message.kind === "order" && this.#obey(message));
  }

  /** Every replica must be able to find the task. */
  override async keep(task: Task): Promise<void> {
    const { store, heartbeat } = this.#parts;
    const record: TaskRecord = {
      principal: task.principal ?? null,
      owner: heartbeat.id,
      detail: task.detail(),
    };
    await store.set(keyOf(task.id), JSON.stringify(record), { ttlMs: this.#ttlMs });
  }

  override find(id: unknown, principal: string | undefined): MaybePromise<TaskView | undefined> {
    const isElsewhere = typeof id === "string" && !this.own(id);
    return isElsewhere ? this.#findElsewhere(id, principal) : super.find(id, principal);
  }

  override drop(task: Task): void {
    super.drop(task);
    if (!task.isDone) Promise.resolve(this.#parts.store.delete(keyOf(task.id))).catch(() => undefined);
  }

  /** Retries until the record is written; changes made meanwhile are combined. */
  protected override changed(task: Task): void {
    const writing = this.#writing.get(task.id);
    if (writing) writing.again = true;
    else void this.#update(task);
  }

  async #update(task: Task): Promise<void> {
    const own = { again: true };
    this.#writing.set(task.id, own);
    while (own.again) {
      own.again = false;
      try {
        await this.keep(task);
        super.changed(task);
      } catch {
        own.again = true;
        await pauseInBackground(RETRY_MS);
      }
    }
    this.#writing.delete(task.id);
  }

  async #findElsewhere(id: string, principal: string | undefined): Promise<TaskView | undefined> {
    const { changes, heartbeat } = this.#parts;
    const record = await this.#read(id);
    if (!record || (record.principal ?? undefined) !== principal) return undefined;
    const order = async (message: TaskOrder): Promise<void> => {
      await changes.publish({ kind: "order", id, from: heartbeat.id, message });
    };
    return {
      detail: () => record.detail,
      answer: (responses) => order({ responses }),
      cancel: ({ message }) => order({ cancel: message }),
    };
  }

  /** Marks an unfinished task whose owner does not answer as failed. */
  async #read(id: string): Promise<TaskRecord | undefined> {
    const { store, heartbeat, changes } = this.#parts;
    const text = await store.get(keyOf(id));
    if (text === undefined) return undefined;
    const record = JSON.parse(text) as TaskRecord;
    const { status } = record.detail;
    const isOpen = status === "working" || status === "input_required";
    if (!isOpen || !(await heartbeat.isDead(record.owner))) return record;
    const failed = JSON.stringify({ ...record, detail: toAbandoned(record.detail) });
    const conditions = { ttlMs: this.#ttlMs, expected: { value: text } };
    if (await store.set(keyOf(id), failed, conditions)) changes.announce({ kind: "task", id });
    return this.#read(id);
  }

  /** Carries out what a client asked of another replica for a task that is worked on here. */
  #obey({ id, message }: ReplicaMessage): void {
    if (!isObject(message)) return;
    const { responses, cancel } = message;
    const task = this.own(id);
    if (isObject(responses)) task?.answer(responses);
    if (typeof cancel === "string") task?.cancel(new Error(cancel));
  }
}

/** The detail of a task whose owner does not answer. */
function toAbandoned({ inputRequests: _, ...detail }: Params): Params {
  const message =
    "The process that works on this task does not answer: how far it got is unknown, and it may still finish";
  return {
    ...detail,
    status: "failed",
    statusMessage: message,
    lastUpdatedAt: new Date().toISOString(),
    error: { code: INTERNAL_ERROR, message },
  };
}
