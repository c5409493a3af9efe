import type { ChildProcess } from "node:child_process";
import { type FromWorker, OUT_OF_MEMORY_MARK, type ToWorker } from "../protocol/messages.ts";
import type { OpenOptions } from "../protocol/statements.ts";
import { setWanted, type WorkerProgram } from "./worker-program.ts";

export interface WorkerOptions {
  readonly program: WorkerProgram;
  readonly open: OpenOptions;
}

export interface WorkerEvents {
  readonly message: (message: FromWorker) => void;
  /** Once, after the last message. */
  exit(end: WorkerEnd): void;
}

export interface WorkerEnd {
  readonly outOfMemory: boolean;
  /** The end of stderr, for a log. */
  readonly lastWords: string;
  /** The error if it could not be started. */
  readonly failure: unknown;
}

/** Printed by the worker's memory watch, or by V8. */
const OUT_OF_MEMORY = new RegExp(`${OUT_OF_MEMORY_MARK}|heap out of memory`);
const MAX_STDERR = 8192;
/** How long a process gets to close the database in an orderly way. */
const CLOSE_MS = 500;
/** One process. To stop its work it is killed, which SQLite is designed to survive. */
export class WorkerProcess {
  readonly #process: ChildProcess | undefined;
  readonly ended: Promise<void>;
  readonly #outbox: ToWorker[] = [];
  #isWanted = true;

  constructor({ program, open }: WorkerOptions, events: WorkerEvents) {
    let stderr = "";
    let failure: unknown;
    let end = (): void => {};
    this.ended = new Promise((resolve) => {
      end = () => {
        resolve();
        events.exit({ outOfMemory: OUT_OF_MEMORY.test(stderr), lastWords: stderr.trim(), failure });
      };
    });
    try {
      this.#process = program.start();
    } catch (thrown) {
      // Out of memory, for example. Node reports most failures by an event, so this one is reported later too.
      failure = thrown;
      setImmediate(end);
      return;
    }
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    this.#process.on("message", (messages) => {
      // The worker is our own program and sends nothing else.
      for (const message of messages as FromWorker[]) events.message(message);
    });
    this.#process.on("error", (error) => (failure ??= error));
    this.#process.once("close", end);
    this.send({ open });
  }

  /** Messages of one turn are sent together: sending costs more than their contents. */
  send(message: ToWorker): void {
    this.#outbox.push(message);
    if (this.#outbox.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const messages = this.#outbox.splice(0);
    if (this.#process?.connected === true) this.#process.send(messages, () => {});
  }

  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  /** For an idle process. */
  async close(): Promise<void> {
    // Not by disconnecting: Node would never report that the process has ended.
    this.send({ close: true });
    const timer = setTimeout(() => this.kill(), CLOSE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Whether it keeps the parent process alive. */
  ref(isWanted: boolean): void {
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    if (this.#process) setWanted(this.#process, isWanted);
  }
}
