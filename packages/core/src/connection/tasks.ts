import type { Catalog } from "../features/catalog.ts";
import { inBackground } from "../timing/timers.ts";
import { declaresTasks } from "../features/tasks.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { calledTool } from "./active-request.ts";
import type { Changes } from "./changes.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import { Shares } from "./shares.ts";
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

/** The tasks of one server. They belong to no connection: a client may ask for them on any. */
export class Tasks {
  readonly #times: TaskTimes;
  readonly #shares: Shares;
  readonly #changes: Pick<Changes, "announce">;
  readonly #tasks = new Map<string, Task>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor({ most, ...times }: TaskLimits, changes: Pick<Changes, "announce">) {
    this.#times = times;
    this.#shares = new Shares(most);
    this.#changes = changes;
  }

  /** Whether no task is being worked on here. */
  get areDone(): boolean {
    return [...this.#tasks.values()].every((task) => task.isDone);
  }

  /** Undefined if the server's or the caller's limit is reached. */
  create(request: NeutralRequest, abort: (reason: Error) => void): Task | undefined {
    if (!this.#shares.take(request.route.principal)) return undefined;
    const task = new Task(request, this.#times, abort, (changed) => this.changed(changed));
    this.#tasks.set(task.id, task);
    this.#timers.set(
      task.id,
      inBackground(setTimeout(() => this.#end(task, "The task has expired"), this.#times.ttlMs)),
    );
    return task;
  }

  /** Called before the handle is sent: from then on the client must find the task. */
  keep(_task: Task): MaybePromise<void> {}

  /** Finds a task only for the principal that started it. */
  find(id: unknown, principal: string | undefined): MaybePromise<TaskView | undefined> {
    const task = this.own(id);
    return task?.principal === principal ? task : undefined;
  }

  /** Drops a task whose handle was never sent. */
  drop(task: Task): void {
    clearTimeout(this.#timers.get(task.id));
    this.#timers.delete(task.id);
    if (this.#tasks.delete(task.id)) this.#shares.giveBack(task.principal);
  }

  close(): void {
    for (const task of this.#tasks.values()) this.#end(task, "The server is shutting down");
  }

  protected own(id: unknown): Task | undefined {
    return this.#tasks.get(id as string);
  }

  protected changed({ id }: Task): void {
    this.#changes.announce({ kind: "task", id });
  }

  #end(task: Task, reason: string): void {
    task.abort(new Error(reason));
    this.drop(task);
  }
}

/** Only calls of tools that declare it become tasks, and only for clients that support them. */
export const mayBecomeTask = (request: NeutralRequest, catalog: Catalog): boolean =>
  declaresTasks(request.client) && calledTool(request, catalog)?.task !== undefined;
