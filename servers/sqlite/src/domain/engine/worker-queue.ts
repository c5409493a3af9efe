import { Fault, type StopSignal } from "@suite/server-kit/domain";
import type { FromWorker, OperationName, RequestOf, ResultOf, WorkerAnswer } from "../protocol/messages.ts";
import { Job, type JobOptions, toAborted } from "./job.ts";
import { type WorkerEnd, type WorkerOptions, WorkerProcess } from "./worker-process.ts";

/** How many requests may wait in the worker, so that it never waits for the next one. */
const WINDOW = 128;
const MAX_WAITING = 10_000;
const MAX_DEATHS = 2;
/** How long a cancelled read may run before its process is killed. */
const GRACE_MS = 50;

/**
 * One worker and the requests to it, in order. Reads are sent ahead; a write is sent only when everything before it is
 * answered. So whenever the process has to be killed, it is known whether each write had begun, and reads are repeated.
 */
export class WorkerQueue {
  readonly #options: WorkerOptions;
  readonly #isMemory: boolean;
  readonly #queue: Job[] = [];
  /** How many jobs at the head of the queue were sent to the worker. */
  #sent = 0;
  /** How many jobs at the head of the queue were with a worker that died: they are sent one by one, to find the cause. */
  #suspects = 0;
  #worker: WorkerProcess | undefined;
  /** The worker takes requests. */
  #isReady = false;
  /** The worker was ready once. */
  #hasBegun = false;
  #isKilled = false;
  #isDisposed = false;
  #ids = 0;
  readonly #idleMs: number | undefined;
  #idle: NodeJS.Timeout | undefined;
  #resting: Promise<void> | undefined;

  /** With `idleMs`, the process ends after being idle for that long. */
  constructor(options: WorkerOptions, idleMs?: number) {
    this.#options = options;
    this.#idleMs = idleMs;
    this.#isMemory = options.open.file === ":memory:";
  }

  warm(): void {
    if (!this.#isDisposed) this.#worker ??= this.#start();
  }

  submit<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    signal: StopSignal,
    hooks: JobOptions,
  ): Promise<ResultOf<Name>> {
    if (signal.aborted) return Promise.reject(toAborted(signal, "Nothing was done."));
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#ids += 1;
      const events = { aborted: this.#abort, ok: resolve, fault: reject };
      this.#queue.push(new Job({ id: this.#ids, operation, request }, hooks, signal, events));
      this.#pump();
    });
  }

  #refusal(): Fault | undefined {
    if (this.#isDisposed) return new Fault("unavailable", "The database is closed.", { retryable: false });
    if (this.#queue.length < MAX_WAITING) return undefined;
    return new Fault("rate_limited", "Too many statements are waiting.", { retryAfterMs: 1000 });
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#idle);
    const worker = this.#worker;
    const isAtWork = this.#queue.length > 0 || !this.#isReady;
    this.#worker = undefined;
    for (const job of this.#queue.splice(0)) job.fail(toClosed(job));
    if (isAtWork) worker?.kill();
    else await worker?.close();
    await Promise.all([worker?.ended, this.#resting]);
  }

  #start(): WorkerProcess {
    this.#isReady = this.#hasBegun = this.#isKilled = false;
    const worker: WorkerProcess = new WorkerProcess(this.#options, {
      message: (message) => {
        if (worker === this.#worker) this.#receive(message);
      },
      exit: (end) => {
        if (worker === this.#worker) this.#lost(end);
      },
    });
    worker.ref(this.#queue.length > 0);
    return worker;
  }

  #pump(): void {
    const isWanted = this.#queue.length > 0;
    clearTimeout(this.#idle);
    if (isWanted) this.warm();
    else if (this.#idleMs !== undefined) this.#idle = setTimeout(() => this.#rest(), this.#idleMs).unref();
    this.#worker?.ref(isWanted);
    if (!this.#isReady) return;
    const window = this.#suspects > 0 ? 1 : WINDOW;
    while (this.#sent < window) {
      const job = this.#queue[this.#sent];
      if (!job || (job.writes && this.#sent > 0)) return;
      job.isSent = true;
      this.#sent += 1;
      this.#worker?.send(job.message);
    }
  }

  #rest(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#resting = worker?.close();
  }

  #receive(message: FromWorker): void {
    if ("ready" in message) {
      this.#isReady = !this.#isKilled;
      this.#hasBegun = true;
      this.#pump();
      return;
    }
    const job = this.#queue[0];
    // Answers come in order; any other belongs to a job that was dropped.
    if (job?.message.id !== message.id) return;
    if ("started" in message) job.isStarted = true;
    else if ("progress" in message) void this.#serve(job, () => job.hooks.onProgress?.(message.progress));
    else if ("chunk" in message)
      void this.#serve(job, async () => {
        await job.hooks.onChunk?.(message.chunk);
        this.#worker?.send({ reply: message.id });
      });
    else if ("pull" in message)
      void this.#serve(job, async () => {
        const portion = await job.nextPortion();
        this.#worker?.send({ reply: message.id, ...(portion && { portion }) });
      });
    else this.#answered(job, message);
  }

  #answered(job: Job, answer: WorkerAnswer): void {
    this.#queue.shift();
    this.#sent -= 1;
    this.#suspects = Math.max(0, this.#suspects - 1);
    if ("ok" in answer) job.succeed(answer.ok);
    else job.fail(new Fault(answer.fault.code, answer.fault.message, answer.fault));
    this.#pump();
    this.#endUnwanted();
  }

  /** Kills the worker if the next job was cancelled while it waited there. */
  #endUnwanted(): void {
    const job = this.#queue[0];
    if (!job?.isAnswered) return;
    const worker = this.#worker;
    setTimeout(() => {
      if (this.#queue[0] === job && this.#worker === worker) this.#kill();
    }, GRACE_MS).unref();
  }

  /** Runs the caller's side of a task. If it fails, the worker's side is stopped. */
  async #serve(job: Job, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (this.#queue[0] !== job || job.isAborted) return;
      job.fail(
        thrown instanceof Fault ? thrown : new Fault("internal", "The task failed.", { cause: thrown }),
      );
      this.#kill();
    }
  }

  readonly #abort = (job: Job): void => {
    const at = this.#queue.indexOf(job);
    if (at === 0 && job.isSent) {
      // The outcome of a write is reported when the process has ended: its last messages may still be on the way.
      if (job.writes) job.isAborted = true;
      else job.fail(toAborted(job.signal, this.#isMemory ? LOST_MEMORY : ""));
      this.#kill();
      return;
    }
    const fault = toAborted(job.signal, "Nothing was done.");
    job.fail(at > 0 && fault.code === "timeout" ? toKeptWaiting(fault) : fault);
    if (job.isSent) this.#worker?.send({ cancel: job.message.id });
    else this.#queue.splice(at, 1);
  };

  #kill(): void {
    this.#isKilled = true;
    this.#isReady = false;
    this.#worker?.kill();
  }

  /** The worker ended, killed or not. Jobs that had not begun go to the next one. */
  #lost(end: WorkerEnd): void {
    const hadBegun = this.#hasBegun;
    this.#worker = undefined;
    // Unknown if several were sent; but with an in-memory database, nothing can be retried to find out.
    const culprit = this.#sent === 1 || this.#isMemory ? this.#queue[0] : undefined;
    const unanswered = this.#queue.splice(0).filter((job) => !job.isAnswered);
    this.#sent = this.#suspects = 0;
    for (const job of unanswered) {
      const fault =
        this.#isKilled || hadBegun ? this.#toLoss(job, job === culprit, end) : toUnstartable(job, end);
      if (fault) {
        job.fail(fault);
        continue;
      }
      if (job.isSent && !this.#isKilled) this.#suspects += 1;
      this.#queue.push(Object.assign(job, { isSent: false, isStarted: false }));
    }
    this.#pump();
  }

  /** Why it cannot go to the next process; undefined if it can. */
  #toLoss(job: Job, isCulprit: boolean, end: WorkerEnd): Fault | undefined {
    const outcome = this.#isMemory ? LOST_MEMORY : job.writes ? toOutcome(job) : "";
    if (job.isAborted) return toAborted(job.signal, outcome);
    if (isCulprit && end.outOfMemory) return toOutOfMemory(outcome);
    if (isCulprit && !this.#isKilled) job.deaths += 1;
    if (job.isStarted || job.deaths >= MAX_DEATHS) return toDied(outcome, end);
    return this.#isMemory ? toLostMemory() : undefined;
  }
}

const UNKNOWN = "It was done completely or not at all: check before you repeat it.";

const LOST_MEMORY = "The in-memory database was lost with it: the next statement finds it empty.";

/** A write happens in one transaction. */
const toOutcome = (job: Job): string => (job.isStarted && job.isFed ? UNKNOWN : "Nothing was done.");

/** The process's last messages are not awaited here, so a write that was sent may have begun. */
const toClosed = (job: Job): Fault =>
  new Fault("cancelled", `The database was closed. ${job.writes && job.isSent ? UNKNOWN : ""}`.trim());

/** It may have been small, and others were before it. */
const toKeptWaiting = (cause: Fault): Fault =>
  new Fault("timeout", `${cause.message} Another statement kept the database busy.`, {
    hint: "Try again.",
    details: cause.details,
    cause,
  });

const toLostMemory = (): Fault =>
  new Fault("unavailable", `The database process ended. ${LOST_MEMORY}`, { retryable: false });

const toOutOfMemory = (outcome: string): Fault =>
  new Fault("too_large", `The call needed more memory than allowed, and was stopped. ${outcome}`.trim(), {
    hint: "Ask for less: smaller values, fewer rows to sort or to join.",
  });

const toDied = (outcome: string, { lastWords }: WorkerEnd): Fault =>
  new Fault("unavailable", `The database process ended unexpectedly. ${outcome}`.trim(), {
    cause: lastWords,
  });

/** A failure of the system may pass; a program that ends by itself is broken. */
const toUnstartable = (job: Job, { lastWords, failure }: WorkerEnd): Fault =>
  new Fault(
    "unavailable",
    `The database process could not be started. ${job.writes ? toOutcome(job) : ""}`.trim(),
    {
      ...(failure === undefined ? { retryable: false } : { retryAfterMs: 1000 }),
      hint: "The operator finds out why with --doctor.",
      cause: failure ?? lastWords,
    },
  );
