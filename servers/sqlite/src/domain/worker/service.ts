import { Fault } from "@suite/server-kit/domain";
import type { FaultData, FromWorker, OpenOptions, Operation, Requests, ToWorker } from "../protocol.ts";
import type { TaskName } from "../tasks.ts";
import { type Channel, TaskStream } from "./task-stream.ts";
import { read } from "./query.ts";
import { ConnectionPool, type Library } from "./connection-pool.ts";
import { isConnectionLost, isSqliteError, toCodedFault } from "./sqlite-error.ts";
import { tasks } from "./tasks/index.ts";
import { write, writeBatch } from "./write.ts";

export { loadSqlite } from "./connection.ts";

const MAX_MESSAGE = 2000;

type Job = Extract<ToWorker, { op: Operation }>;

/** What the program around it does for the service. */
export interface ServiceHost extends Library {
  /** Tells the watch on memory that there is something to watch. */
  busy(isBusy: boolean): void;
}

/** Answers requests in the order in which they come, one at a time. */
export class Service {
  readonly #channel: Channel;
  readonly #host: ServiceHost;
  readonly #pool: ConnectionPool;
  readonly #jobs: Job[] = [];
  readonly #cancelled = new Set<number>();
  #stream: TaskStream | undefined;
  #isRunning = false;

  constructor(channel: Channel, options: OpenOptions, host: ServiceHost) {
    this.#channel = channel;
    this.#host = host;
    this.#pool = new ConnectionPool(options, host);
  }

  receive(message: ToWorker): void {
    if ("op" in message) {
      this.#jobs.push(message);
      void this.#run();
    } else if ("cancel" in message) {
      if (this.#jobs.some(({ id }) => id === message.cancel)) this.#cancelled.add(message.cancel);
    } else if ("ack" in message) {
      this.#stream?.acknowledge();
    } else if ("input" in message) {
      this.#stream?.give(message.value, message.end === true);
    }
  }

  /** Opens the database ahead of the first request, whose business it is if that fails. */
  warm(): void {
    try {
      this.#pool.giveBack(this.#pool.takeReader());
    } catch {
      this.#pool.closeIdle();
    }
  }

  /** Nobody is there any more to answer to. */
  close(): void {
    this.#jobs.length = 0;
    this.#pool.close();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
      // An answer must have left before the next job starts, which may take long.
      await this.#channel.send([await this.#answer(job)]);
      // Messages that arrived meanwhile may cancel what waits.
      if (this.#jobs.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isRunning = false;
  }

  async #answer(job: Job): Promise<FromWorker> {
    const { id, op, request } = job;
    if (this.#cancelled.delete(id))
      return { id, fault: toData(new Fault("cancelled", "Cancelled before it began.")) };
    if (op !== "read") await this.#channel.send([{ id, started: true }]);
    this.#host.busy(true);
    try {
      return { id, ok: (await this.#work(id, op, request)) ?? null };
    } catch (thrown) {
      return this.#failed(job, thrown);
    } finally {
      this.#host.busy(false);
    }
  }

  #failed({ id }: Job, thrown: unknown): FromWorker {
    if (isConnectionLost(thrown) || isConnectionLost((thrown as { cause?: unknown }).cause))
      this.#pool.closeIdle();
    return { id, fault: toData(thrown) };
  }

  #work(id: number, op: Operation, request: Requests[Operation]): unknown {
    const operations: { readonly [name in Operation]: () => unknown } = {
      read: () => read(this.#pool, request as Requests["read"]),
      write: () => write(this.#pool, request as Requests["write"]),
      batch: () => writeBatch(this.#pool, request as Requests["batch"]),
      task: () => this.#task(id, request as Requests["task"]),
    };
    return operations[op]();
  }

  async #task(id: number, { name, args }: Requests["task"]): Promise<unknown> {
    const task = Object.hasOwn(tasks, name) ? tasks[name as TaskName] : undefined;
    if (!task) throw new Error(`There is no task ${name}`);
    const stream = new TaskStream(this.#channel, id);
    this.#stream = stream;
    try {
      return await task(args as never, {
        pool: this.#pool,
        progress: (progress) => void this.#channel.send([{ id, progress }]),
        emit: (chunk) => stream.emit(chunk),
        input: stream.input,
      });
    } finally {
      this.#stream = undefined;
    }
  }
}

function toData(thrown: unknown): FaultData {
  const fault =
    thrown instanceof Fault ? thrown : isSqliteError(thrown) ? toCodedFault(thrown) : toInternal(thrown);
  const { code, message, hint, retryable, retryAfterMs, details } = fault;
  return {
    code,
    // SQLite repeats names of any length.
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
    retryable,
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(details === undefined ? {} : { details }),
  };
}

const toInternal = (thrown: unknown): Fault =>
  new Fault(
    "internal",
    `The database process failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  );
