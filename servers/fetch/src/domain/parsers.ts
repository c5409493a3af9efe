import { Worker } from "node:worker_threads";

import { Fault, type StopSignal, toAbortFault } from "@suite/server-kit/domain";

import type { HeldBytes } from "./held-bytes.ts";
import type { Jobs } from "./parsing/jobs.ts";

export interface ParsersOptions {
  /** The program of the thread. */
  readonly threadUrl: URL;
  /** The maximum number of threads. */
  readonly threads: number;
  /** The time limit for one document. */
  readonly timeoutMs: number;
  /** The limit of a thread's heap. */
  readonly memoryMb: number;
  /** Weighs the jobs that wait or are worked on. */
  readonly held: HeldBytes;
}

type JobOutcome = { readonly answer: Jobs[keyof Jobs]["answer"] } | { readonly failure: string };

interface WaitingJob<Name extends keyof Jobs = keyof Jobs> {
  readonly name: Name;
  /** Called when a thread is free: until then, only the page's bytes are held, and not its text as well. */
  readonly prepare: () => Jobs[Name]["given"];
  readonly about: string;
  /** When it began to wait. */
  readonly since: number;
  resolve(answer: Jobs[Name]["answer"]): void;
  reject(fault: Fault): void;
  /** Terminates the thread that works on the job. */
  stop?: () => void;
}

export interface JobSubject {
  /** The URL, for errors. */
  readonly about: string;
  readonly bytes: number;
}

interface Work {
  readonly job: WaitingJob;
  readonly timer: NodeJS.Timeout;
}

const MOST_WAITING = 500;
const IDLE_MS = 30_000;
/** A further thread takes some 35 MiB, and as long to start as several small pages to read. */
const PATIENCE_MS = 100;

/** Threads that parse untrusted content. One that takes too long or too much memory is terminated and replaced. */
export class Parsers {
  readonly #options: ParsersOptions;
  /** Each with the timer that ends it, the one that has rested longest first. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #all = new Set<Worker>();
  readonly #busy = new Map<Worker, Work>();
  readonly #waiting: WaitingJob[] = [];
  #isDisposed = false;

  constructor(options: ParsersOptions) {
    this.#options = options;
  }

  /** Starts a thread while the page is still being fetched. */
  warm(): void {
    if (this.#all.size === 0 && !this.#isDisposed) this.#rest(this.#start());
  }

  run<Name extends keyof Jobs>(
    name: Name,
    prepare: () => Jobs[Name]["given"],
    { about, bytes }: JobSubject,
    signal: StopSignal,
  ): Promise<Jobs[Name]["answer"]> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(toAbortFault(signal));
      if (this.#isDisposed) return reject(new Fault("unavailable", "The server is stopping"));
      if (this.#waiting.length >= MOST_WAITING) {
        return reject(
          new Fault("rate_limited", "Too many pages are waiting to be read", { retryAfterMs: 1000 }),
        );
      }
      const abort = (): void => {
        const index = this.#waiting.indexOf(job);
        if (index >= 0) this.#waiting.splice(index, 1);
        job.reject(toAbortFault(signal));
        job.stop?.();
      };
      let isSettled = false;
      const detachThen =
        <T>(pass: (value: T) => void) =>
        (value: T): void => {
          signal.removeEventListener("abort", abort);
          if (!isSettled) this.#options.held.release(bytes);
          isSettled = true;
          pass(value);
        };
      const job: WaitingJob<Name> = {
        name,
        prepare,
        about,
        since: performance.now(),
        resolve: detachThen(resolve),
        reject: detachThen(reject),
      };
      signal.addEventListener("abort", abort);
      this.#options.held.add(bytes);
      this.#waiting.push(job);
      this.#next();
      return undefined;
    });
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const job of this.#waiting.splice(0)) job.reject(new Fault("unavailable", "The server is stopping"));
    await Promise.all(Array.from(this.#all, (worker) => worker.terminate()));
  }

  #next(): void {
    const [job] = this.#waiting;
    if (job === undefined) return;
    const worker = this.#takeIdle() ?? (this.#mayStartFor(job) ? this.#start() : undefined);
    if (worker === undefined) return;
    this.#waiting.shift();
    this.#give(worker, job);
  }

  /** The one that worked last: another that is not needed ends soon. */
  #takeIdle(): Worker | undefined {
    const [worker, timer] = [...this.#idle].at(-1) ?? [];
    clearTimeout(timer);
    if (worker) this.#idle.delete(worker);
    return worker;
  }

  /** The first thread at once, another for a job that has waited for a while: if it has not yet, it is looked at again. */
  #mayStartFor({ since }: WaitingJob): boolean {
    if (this.#all.size === 0 || this.#all.size >= this.#options.threads) return this.#all.size === 0;
    const left = since + PATIENCE_MS - performance.now();
    if (left > 0) setTimeout(() => this.#next(), Math.ceil(left)).unref();
    return left <= 0;
  }

  #give(worker: Worker, job: WaitingJob): void {
    const { timeoutMs } = this.#options;
    const timer = setTimeout(() => {
      const message = `${job.about} took longer than ${timeoutMs} ms to read and was given up`;
      this.#finish(worker, false)?.reject(new Fault("timeout", message));
    }, timeoutMs);
    job.stop = () => this.#finish(worker, false);
    this.#busy.set(worker, { job, timer });
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
    worker.postMessage({ name: job.name, given: job.prepare() });
  }

  /** Detaches the thread from its job, and makes it available again if `isFit`. */
  #finish(worker: Worker, isFit: boolean): WaitingJob | undefined {
    const busy = this.#busy.get(worker);
    this.#busy.delete(worker);
    clearTimeout(busy?.timer);
    if (busy && isFit && !this.#isDisposed) this.#rest(worker);
    else this.#drop(worker);
    this.#next();
    return busy?.job;
  }

  #start(): Worker {
    const { memoryMb, threadUrl } = this.#options;
    const worker = new Worker(threadUrl, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
      // Code that parses untrusted content gets no environment variables.
      env: {},
      stdin: false,
      stdout: true,
      stderr: true,
    });
    worker.on("message", (outcome: JobOutcome) => {
      const job = this.#finish(worker, true);
      if ("answer" in outcome) job?.resolve(outcome.answer);
      else
        job?.reject(
          new Fault("unsupported", `${job.about} cannot be read: ${outcome.failure.slice(0, 200)}`),
        );
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const job = this.#finish(worker, false);
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") {
        job?.reject(createTooLarge(job));
      } else job?.reject(new Fault("internal", `${job.about} could not be read`, { cause: error }));
    });
    worker.on("exit", () => {
      const job = this.#finish(worker, false);
      job?.reject(new Fault("internal", `${job.about} could not be read`));
    });
    worker.unref();
    this.#all.add(worker);
    return worker;
  }

  /** Keeps the thread for the next page; after a while, only the last one stays. */
  #rest(worker: Worker): void {
    worker.unref();
    const timer = setTimeout(() => {
      if (this.#all.size > 1) this.#drop(worker);
    }, IDLE_MS);
    this.#idle.set(worker, timer.unref());
  }

  #drop(worker: Worker): void {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
    if (this.#all.delete(worker)) void worker.terminate();
  }
}

const createTooLarge = ({ about }: WaitingJob): Fault =>
  new Fault("too_large", `${about} needs too much memory to read`);
