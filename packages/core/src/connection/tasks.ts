import type { Catalog } from "../features/catalog.ts";
import { inBackground } from "../features/background-timer.ts";
import { declaresTasks } from "../features/tasks.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import { Task, type TaskTimes } from "./task.ts";

export interface TaskLimits extends TaskTimes {
  /** How many tasks are kept at once. Beyond that, calls are answered when their work is done. */
  readonly most: number;
}

export const DEFAULT_TASK_LIMITS: TaskLimits = { ttlMs: 60 * 60_000, pollIntervalMs: 1000, most: 1000 };

/** The tasks of one server. They belong to no connection: a client may come back on any. */
export class Tasks {
  readonly #limits: TaskLimits;
  readonly #changed: (task: Task) => void;
  readonly #tasks = new Map<string, Task>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(limits: TaskLimits, changed: (task: Task) => void) {
    this.#limits = limits;
    this.#changed = changed;
  }

  /** Undefined when there are as many as there may be. */
  create(request: NeutralRequest, abort: (reason: Error) => void): Task | undefined {
    const { most, ...times } = this.#limits;
    if (this.#tasks.size >= most) return undefined;
    const task = new Task(request, times, abort, this.#changed);
    this.#tasks.set(task.id, task);
    this.#timers.set(
      task.id,
      inBackground(setTimeout(() => this.#remove(task, "The task has expired"), times.ttlMs)),
    );
    return task;
  }

  /** A task is only there for whoever started it: to everybody else its id means nothing. */
  find(id: unknown, principal: string | undefined): Task | undefined {
    const task = this.#tasks.get(id as string);
    return task?.principal === principal ? task : undefined;
  }

  close(): void {
    for (const task of this.#tasks.values()) this.#remove(task, "The server is shutting down");
  }

  #remove(task: Task, reason: string): void {
    clearTimeout(this.#timers.get(task.id));
    this.#timers.delete(task.id);
    this.#tasks.delete(task.id);
    task.cancel(new Error(reason));
  }
}

/** Only calls of tools that say so become tasks, and only for clients that know them. */
export function mayBecomeTask({ method, params, client }: NeutralRequest, catalog: Catalog): boolean {
  if (method !== "tools/call" || !declaresTasks(client)) return false;
  return catalog.tools?.get(params["name"] as string)?.definition.task !== undefined;
}
