import { memoryUsage } from "node:process";
import { Worker } from "node:worker_threads";

import { DocumentError } from "./document-error.ts";
import type { DocumentText, PartRange } from "./read-document.ts";

export interface ReaderOptions {
  /** For one document. */
  readonly timeoutMs: number;
  /** The limit of the thread's heap. It may take twice as much in all, for what documents unpack to. */
  readonly memoryMb: number;
}

/** Of an AbortSignal, what is needed. */
interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface ThreadAnswer {
  /** Of a PDF, the page that is read now: this is not the answer yet. */
  readonly page?: number;
  readonly text?: DocumentText | undefined;
  readonly error?: Pick<DocumentError, "code" | "message" | "hint">;
}

interface Job {
  readonly bytes: Uint8Array;
  readonly range: PartRange | undefined;
  readonly signal: Signal;
  readonly resolve: (text: DocumentText | undefined) => void;
  readonly reject: (error: DocumentError) => void;
  /** What is left of its time. Once some is used, it is not new any more. */
  leftMs: number;
  /** Detaches it from its thread, or from those that wait. */
  end: () => void;
}

const MOST_WAITING = 100;
const MOST_BYTES = 64 * 1024 * 1024;
const IDLE_MS = 10_000;
const LOOK_MS = 50;
/** This part of its time a document may take while a new one waits. Then it starts again after those that wait. */
const TURN = 1 / 10;

/** And this part, a page: none that a person reads takes nearly as long. */
const PAGE = 1 / 3;

/**
 * Reads documents in a thread that can be ended at any time, one after the other: the memory of the process does not show which
 * of two takes it. A slow one makes way for new ones. A rejected read leaves nothing behind.
 */
export class DocumentReader {
  readonly #options: ReaderOptions;
  readonly #waiting: Job[] = [];
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isBusy = false;
  #isDisposed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Undefined if the bytes are not a document. Rejects with a `DocumentError`, also when the signal fires. */
  read(bytes: Uint8Array, signal: Signal, range?: PartRange): Promise<DocumentText | undefined> {
    if (bytes.length > MOST_BYTES)
      return Promise.reject(new DocumentError("too_large", `has more than ${MOST_BYTES} bytes`));
    if (this.#waiting.length >= MOST_WAITING)
      return Promise.reject(new DocumentError("rate_limited", "has to wait: too many others do"));
    if (signal.aborted || this.#isDisposed) return Promise.reject(createStopped());
    return new Promise((resolve, reject) => {
      const stop = (): void => job.reject(createStopped());
      const finish =
        <T>(pass: (value: T) => void) =>
        (value: T): void => {
          signal.removeEventListener("abort", stop);
          job.end();
          pass(value);
          this.#next();
        };
      const job: Job = {
        bytes,
        range,
        signal,
        resolve: finish(resolve),
        reject: finish(reject),
        leftMs: this.#options.timeoutMs,
        end: () => undefined,
      };
      signal.addEventListener("abort", stop);
      this.#wait(job);
    });
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const job of this.#waiting.splice(0)) job.reject(createStopped());
    clearTimeout(this.#idle);
    await this.#thread?.terminate();
  }

  #wait(job: Job): void {
    job.end = () => {
      const index = this.#waiting.indexOf(job);
      if (index >= 0) this.#waiting.splice(index, 1);
    };
    this.#waiting.push(job);
    this.#next();
  }

  #next(): void {
    if (this.#isBusy || this.#isDisposed) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#isBusy = true;
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= this.#start());
    thread.ref();
    this.#work(thread, job);
  }

  #work(thread: Worker, job: Job): void {
    const { timeoutMs } = this.#options;
    const give = (code: DocumentError["code"], message: string): void =>
      job.reject(new DocumentError(code, message));
    const timer = setTimeout(
      () => give("timeout", `took longer than ${timeoutMs} ms to read and was given up`),
      job.leftMs,
    );
    const watch = this.#watchMemory(() => give("too_large", "needs too much memory to read"));
    const turn = this.#watchTurn(job);
    let isDone = false;
    let pageTimer: NodeJS.Timeout | undefined;
    const answered = ({ text, error, page }: ThreadAnswer): void => {
      clearTimeout(pageTimer);
      if (page !== undefined) {
        const most = Math.round(timeoutMs * PAGE);
        const message = `was given up at page ${page}, which took longer than ${most} ms to read`;
        pageTimer = setTimeout(() => give("timeout", message), most);
        return;
      }
      isDone = true;
      if (error) job.reject(new DocumentError(error.code, error.message, error.hint));
      else job.resolve(text);
    };
    const failed = (error?: NodeJS.ErrnoException): void =>
      error?.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? give("too_large", "needs too much memory to read")
        : give("unsupported", "could not be read");
    const exited = (): void => failed();
    job.end = () => {
      clearTimeout(timer);
      clearTimeout(pageTimer);
      clearInterval(watch);
      clearInterval(turn);
      thread.off("message", answered).off("error", failed).off("exit", exited);
      this.#isBusy = false;
      if (isDone && !this.#isDisposed) this.#rest(thread);
      else this.#drop(thread);
    };
    thread.on("message", answered).on("error", failed).on("exit", exited);
    // A copy of just these bytes: sending a view would send all of its buffer.
    const bytes = Uint8Array.from(job.bytes);
    thread.postMessage({ bytes, range: job.range }, [bytes.buffer]);
  }

  /** A page that takes long answers nobody: only its thread can be ended. */
  #watchTurn(job: Job): NodeJS.Timeout {
    const { timeoutMs } = this.#options;
    const start = performance.now();
    return setInterval(() => {
      const ms = performance.now() - start;
      if (ms < timeoutMs * TURN || !this.#waiting.some(({ leftMs }) => leftMs === timeoutMs)) return;
      job.leftMs -= ms;
      job.end();
      this.#wait(job);
    }, LOOK_MS);
  }

  /** V8's limit does not count bytes outside of its heap, and a small file can unpack to any size. */
  #watchMemory(tooMuch: () => void): NodeJS.Timeout {
    const most = 2 * this.#options.memoryMb * 1024 * 1024;
    let least = Infinity;
    return setInterval(() => {
      const { rss, heapTotal, external } = memoryUsage();
      // Without the main thread's own. It may first fall, if another thread has just ended.
      const bytes = rss - heapTotal - external;
      least = Math.min(least, bytes);
      if (bytes - least > most) tooMuch();
    }, LOOK_MS);
  }

  #start(): Worker {
    const thread = new Worker(new URL("./thread.js", import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.memoryMb,
        maxYoungGenerationSizeMb: 16,
        stackSizeMb: 4,
      },
      // What reads untrusted content gets no environment variables.
      env: {},
      stdin: false,
      stdout: true,
      stderr: true,
    });
    // Between two documents, nobody else listens.
    return thread.on("error", () => this.#drop(thread));
  }

  #rest(thread: Worker): void {
    thread.unref();
    this.#idle = setTimeout(() => this.#drop(thread), IDLE_MS).unref();
  }

  #drop(thread: Worker): void {
    if (this.#thread === thread) this.#thread = undefined;
    void thread.terminate();
  }
}

const createStopped = (): DocumentError => new DocumentError("unavailable", "was not read to its end");
