import { Fault, truncate, toVisibleLine } from "@suite/server-kit/domain";
import type {
  FaultData,
  FromWorker,
  OperationName,
  ResultOf,
  ToWorker,
  WorkerRequest,
} from "../protocol/messages.ts";
import type { OpenOptions, Portion } from "../protocol/statements.ts";
import { read } from "./query.ts";
import { ConnectionPool, type Library } from "./connection-pool.ts";
import { isConnectionLost, isSqliteError, toCodedFault } from "./sqlite-error.ts";
import type { TaskContext } from "./task.ts";
import { type Handler, tasks } from "./tasks/index.ts";
import { write, writeBatch } from "./write.ts";

export { loadSqlite } from "./connection.ts";

const MAX_MESSAGE = 2000;

const HANDLERS: { readonly [Name in OperationName]: Handler<Name> } = {
  read: (request, { pool }) => read(pool, request),
  write: (request, { pool }) => write(pool, request),
  batch: (request, { pool }) => writeBatch(pool, request),
  ...tasks,
};

/** What the program around it does for the service. */
export interface ServiceHost extends Library {
  /** Resolves when the message has left the process: a kill can no longer lose it. */
  send(message: FromWorker): Promise<void>;
  /** Tells the memory watch whether a request is running. */
  busy(isBusy: boolean): void;
}

/** Answers requests in the order in which they come, one at a time. */
export class Service {
  readonly #host: ServiceHost;
  readonly #pool: ConnectionPool;
  readonly #requests: WorkerRequest[] = [];
  readonly #cancelled = new Set<number>();
  /** Takes the reply to what the task that runs has asked its caller. */
  #asking: { readonly id: number; readonly take: (portion: Portion | undefined) => void } | undefined;
  #isRunning = false;

  constructor(options: OpenOptions, host: ServiceHost) {
    this.#host = host;
    this.#pool = new ConnectionPool(options, host);
  }

  receive(message: ToWorker): void {
    if ("operation" in message) {
      this.#requests.push(message);
      void this.#run();
    } else if ("cancel" in message) {
      if (this.#requests.some(({ id }) => id === message.cancel)) this.#cancelled.add(message.cancel);
    } else if ("reply" in message) {
      if (this.#asking?.id === message.reply) this.#asking.take(message.portion);
    }
  }

  /** Opens the database before the first request, which reports the failure if there is one. */
  warm(): void {
    try {
      this.#pool.giveBack(this.#pool.takeReader());
    } catch {
      this.#pool.closeIdle();
    }
  }

  /** Drops waiting requests: the process is about to exit. */
  close(): void {
    this.#requests.length = 0;
    this.#pool.close();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let request = this.#requests.shift(); request; request = this.#requests.shift()) {
      // The answer must have left before the next request, which may take long, starts.
      await this.#host.send(await this.#answer(request));
      // Messages that arrived meanwhile may cancel what waits.
      if (this.#requests.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isRunning = false;
  }

  async #answer(request: WorkerRequest): Promise<FromWorker> {
    const { id, operation } = request;
    if (this.#cancelled.delete(id))
      return { id, fault: toData(new Fault("cancelled", "Cancelled before it began.")) };
    if (operation !== "read") await this.#host.send({ id, started: true });
    this.#host.busy(true);
    try {
      const result = await perform(request, {
        pool: this.#pool,
        progress: (progress) => void this.#host.send({ id, progress }),
        emit: async (chunk) => void (await this.#ask({ id, chunk })),
        input: this.#inputOf(id),
      });
      return { id, ok: result };
    } catch (thrown) {
      return this.#failed(id, thrown);
    } finally {
      this.#host.busy(false);
    }
  }

  #failed(id: number, thrown: unknown): FromWorker {
    if (isConnectionLost(thrown) || (thrown instanceof Error && isConnectionLost(thrown.cause)))
      this.#pool.closeIdle();
    return { id, fault: toData(thrown) };
  }

  async #ask(message: FromWorker & { readonly id: number }): Promise<Portion | undefined> {
    const reply = new Promise<Portion | undefined>((take) => {
      this.#asking = { id: message.id, take };
    });
    await this.#host.send(message);
    return reply;
  }

  async *#inputOf(id: number): AsyncGenerator<Portion> {
    for (;;) {
      const portion = await this.#ask({ id, pull: true });
      if (portion === undefined) return;
      yield portion;
    }
  }
}

function perform<Name extends OperationName>(
  { operation, request }: WorkerRequest<Name>,
  context: TaskContext,
): ResultOf<Name> | Promise<ResultOf<Name>> {
  if (!Object.hasOwn(HANDLERS, operation)) throw new Error(`There is no operation ${operation}`);
  return HANDLERS[operation](request, context);
}

function toData(thrown: unknown): FaultData {
  const fault =
    thrown instanceof Fault ? thrown : isSqliteError(thrown) ? toCodedFault(thrown) : toInternal(thrown);
  const { code, message, hint, retryable, retryAfterMs, details } = fault;
  return {
    code,
    // Both repeat names, which may have any length and any lines.
    message: toLine(message),
    hint: hint && toLine(hint),
    retryable,
    retryAfterMs,
    details,
  };
}

const toLine = (words: string): string => truncate(toVisibleLine(words), MAX_MESSAGE);

const toInternal = (thrown: unknown): Fault =>
  new Fault(
    "internal",
    `The database process failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  );
