import type { Catalog } from "../features/catalog.ts";
import { inBackground } from "../timing/timers.ts";
import { declaresTasks } from "../features/tasks.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { calledTool } from "./active-request.ts";
import type { Journal, News } from "./journal.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { Replica } from "./replica.ts";
import { Shares } from "./shares.ts";
import { TaskRecords } from "./task-records.ts";
import { Task, type TaskTimes } from "./task.ts";

export interface TaskLimits extends TaskTimes {
  /** Tasks kept at once; one caller may have a quarter of them. Beyond that, calls are answered when their work is done. */
  readonly most: number;
}

export const DEFAULT_TASK_LIMITS: TaskLimits = { ttlMs: 60 * 60_000, pollIntervalMs: 1000, most: 1000 };

/** A task as its client sees it, wherever its work is done. */
export interface TaskView {
  detail(): Params;
  answer(responses: Params): MaybePromise<void>;
  cancel(reason: Error): MaybePromise<void>;
}

/** What a replica asks of the one that works on a task. */
type TaskOrder = { readonly responses: Params } | { readonly cancel: string };

/** The tasks of one server. They belong to no connection: a client may ask for them on any, and at any replica. */
export class Tasks {
  readonly #times: TaskTimes;
  readonly #shares: Shares;
  readonly #replica: Replica;
  readonly #journal: Journal;
  readonly #records: TaskRecords;
  readonly #tasks = new Map<string, Task>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor({ most, ...times }: TaskLimits, replica: Replica, journal: Journal) {
    this.#times = times;
    this.#shares = new Shares(most);
    this.#replica = replica;
    this.#journal = journal;
    this.#records = new TaskRecords(replica, times.ttlMs);
    journal.hear((news) => this.#obey(news));
  }

  /** Whether no task is being worked on here. */
  get areDone(): boolean {
    return [...this.#tasks.values()].every((task) => task.isDone);
  }

  /** Undefined if the server's or the caller's limit is reached. */
  create(request: NeutralRequest, abort: (reason: Error) => void): Task | undefined {
    if (!this.#shares.take(request.route.principal)) return undefined;
    const task = new Task(request, this.#times, abort, (changed) => this.#changed(changed));
    this.#tasks.set(task.id, task);
    this.#timers.set(
      task.id,
      inBackground(setTimeout(() => this.#end(task, "The task has expired"), this.#times.ttlMs)),
    );
    return task;
  }

  /** Called before the handle is sent: every replica must be able to find the task. */
  keep(task: Task): MaybePromise<void> {
    return this.#replica.isAlone ? undefined : this.#records.write(task);
  }

  /** Finds a task only for the principal that started it. */
  find(id: unknown, principal: string | undefined): MaybePromise<TaskView | undefined> {
    if (typeof id !== "string") return undefined;
    const task = this.#tasks.get(id);
    if (task) return task.principal === principal ? task : undefined;
    if (this.#replica.isAlone) return undefined;
    return this.#findElsewhere(id, principal);
  }

  /** Drops a task whose handle was never sent. */
  drop(task: Task): void {
    this.#forget(task);
    if (!this.#replica.isAlone) this.#records.forget(task.id);
  }

  close(): void {
    for (const task of this.#tasks.values()) this.#end(task, "The server is shutting down");
  }

  async #findElsewhere(id: string, principal: string | undefined): Promise<TaskView | undefined> {
    const record = await this.#records.find(id, () => this.#journal.announce({ kind: "task", id }));
    if (!record || (record.principal ?? undefined) !== principal) return undefined;
    const order = async (message: TaskOrder): Promise<void> => {
      await this.#journal.publish({ kind: "order", id, from: this.#replica.id, message });
    };
    return {
      detail: () => record.detail,
      answer: (responses) => order({ responses }),
      cancel: ({ message }) => order({ cancel: message }),
    };
  }

  #changed(task: Task): void {
    const { id } = task;
    if (this.#replica.isAlone) this.#journal.announce({ kind: "task", id });
    else void this.#records.update(task, () => this.#journal.announce({ kind: "task", id }));
  }

  /** Carries out what a client asked of another replica for a task that is worked on here. */
  #obey(news: News): void {
    if (news.kind !== "order" || !isObject(news.message)) return;
    const { responses, cancel } = news.message;
    const task = this.#tasks.get(news.id);
    if (isObject(responses)) task?.answer(responses);
    if (typeof cancel === "string") task?.cancel(new Error(cancel));
  }

  #end(task: Task, reason: string): void {
    task.abort(new Error(reason));
    this.#forget(task);
  }

  #forget(task: Task): void {
    clearTimeout(this.#timers.get(task.id));
    this.#timers.delete(task.id);
    if (this.#tasks.delete(task.id)) this.#shares.giveBack(task.principal);
  }
}

/** Only calls of tools that declare it become tasks, and only for clients that support them. */
export const mayBecomeTask = (request: NeutralRequest, catalog: Catalog): boolean =>
  declaresTasks(request.client) && calledTool(request, catalog)?.task !== undefined;
