import { Fault, type StopSignal } from "@suite/server-kit/domain";
import type { RequestOf, ResultOf, TaskName } from "../protocol/messages.ts";
import type { JobHooks } from "./job.ts";
import type { WorkerProgram } from "./worker-program.ts";
import { WorkerQueue } from "./worker-queue.ts";
import type {
  BatchRequest,
  BatchResult,
  OpenOptions,
  RowPage,
  ReadRequest,
  WriteRequest,
  WriteResult,
} from "../protocol/statements.ts";

export interface DatabaseOptions extends OpenOptions {
  readonly program: WorkerProgram;
}

export interface TaskOptions extends JobHooks {
  /** It changes the database, so it is never repeated if the process ends. */
  readonly writes?: boolean;
  /** It may take seconds, so it runs in a second process while queries continue. */
  readonly isLong?: boolean;
}

/** How long the second process is kept without work. */
const LONG_IDLE_MS = 30_000;
const READS = { writes: false };
const WRITES = { writes: true };

/**
 * A database in a process of its own: the whole API of the engine. Every failure is a Fault. An aborted signal kills the process
 * at once if the request is the one that runs, and nothing else is lost by that: the requests behind it go to the next process,
 * the database file is as SQLite left it.
 *
 * Tasks are functions of the worker, in worker/tasks; they get its connections. In there, SQL of our own goes through
 * `connection.own(sql)`, SQL from outside through `pool.admit` and `openQuery` (reads) or `transact` (writes).
 */
export class DatabaseProcess {
  readonly isMemory: boolean;
  readonly #queries: WorkerQueue;
  /** The same queue for an in-memory database, which cannot be opened twice. */
  readonly #long: WorkerQueue;

  constructor({ program, ...open }: DatabaseOptions) {
    const options = { program, open };
    this.isMemory = open.file === ":memory:";
    this.#queries = new WorkerQueue(options);
    this.#long = this.isMemory ? this.#queries : new WorkerQueue(options, LONG_IDLE_MS);
  }

  warm(): void {
    this.#queries.warm();
  }

  /** One page of what a query returns. `next` of it, where there are more rows, is the `cursor` of the next call. */
  read(request: ReadRequest, signal: StopSignal): Promise<RowPage> {
    return this.#queries.submit("read", request, signal, READS);
  }

  /** One INSERT, UPDATE, DELETE or REPLACE, or with `allowDdl` a change of the schema. */
  write(request: WriteRequest, signal: StopSignal): Promise<WriteResult> {
    return this.#queries.submit("write", request, signal, WRITES);
  }

  /** SQLite collects all rows of a sample before it returns the first: a dry run with too many is repeated without one. */
  async writeWithSample(request: WriteRequest, signal: StopSignal): Promise<WriteResult> {
    try {
      return await this.write(request, signal);
    } catch (thrown) {
      const isTooMuch = thrown instanceof Fault && thrown.code === "too_large" && !this.isMemory;
      if (!isTooMuch || request.dryRun !== true) throw thrown;
      return this.write({ ...request, sample: 0 }, signal);
    }
  }

  /** Several writes in one transaction: all or nothing. */
  batch(request: BatchRequest, signal: StopSignal): Promise<BatchResult> {
    return this.#queries.submit("batch", request, signal, WRITES);
  }

  /** Runs a task of the worker by its name. */
  task<Name extends TaskName>(
    name: Name,
    request: RequestOf<Name>,
    signal: StopSignal,
    options: TaskOptions = {},
  ): Promise<ResultOf<Name>> {
    const { writes = false, isLong = false, ...hooks } = options;
    const queue = isLong ? this.#long : this.#queries;
    return queue.submit(name, request, signal, { ...hooks, writes });
  }

  /** Ends the processes, in an orderly way where they are idle, and waits until they are gone. */
  async dispose(): Promise<void> {
    await Promise.all([this.#queries.dispose(), this.#long.dispose()]);
  }
}
