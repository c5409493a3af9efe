import { Fault } from "@suite/server-kit/domain";
import { Child, type ChildEnd, type ChildOptions } from "./child.ts";
import { createJob, fromData, type Job, type JobHooks, toAborted } from "./job.ts";
import {
  LOST_MEMORY,
  toClosed,
  toDied,
  toLostMemory,
  toOutcome,
  toOutOfMemory,
  toUnstartable,
} from "./losses.ts";
import type { FromChild, Operation, Progress, Requests } from "./protocol.ts";

/** How many requests may wait in the child, so that it never waits for the next one. */
const WINDOW = 64;
const MAX_WAITING = 10_000;
const MAX_DEATHS = 2;
/** A read that nobody waits for any more gets this long to end by itself once it runs. */
const GRACE_MS = 50;

/**
 * One child and the requests to it, in order. Reads are sent ahead; a write is sent only when everything before it is
 * answered. So whenever the process has to be killed, it is known of every request but the first whether it had begun.
 */
export class Lane {
  readonly #options: ChildOptions;
  readonly #isMemory: boolean;
  readonly #queue: Job[] = [];
  #child: Child | undefined;
  /** It takes requests. */
  #isReady = false;
  /** It was ready once. */
  #hasBegun = false;
  #isKilled = false;
  #isDisposed = false;
  #ids = 0;
  readonly #idleMs: number | undefined;
  #idle: NodeJS.Timeout | undefined;
  #resting: Promise<void> | undefined;
  /** Processes started so far. */
  starts = 0;

  /** With `idleMs` the process ends when it had nothing to do for that long. */
  constructor(options: ChildOptions, idleMs?: number) {
    this.#options = options;
    this.#idleMs = idleMs;
    this.#isMemory = options.open.file === ":memory:";
  }

  warm(): void {
    if (!this.#isDisposed) this.#child ??= this.#start();
  }

  submit<Op extends Operation>(
    op: Op,
    request: Requests[Op],
    signal: AbortSignal,
    hooks: JobHooks & { readonly writes: boolean },
  ): Promise<unknown> {
    if (signal.aborted) return Promise.reject(toAborted(signal, "Nothing was done."));
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const job = createJob({ id: (this.#ids += 1), op, request }, hooks, signal, {
        aborted: () => this.#abort(job, signal),
        ok: resolve,
        fault: reject,
      });
      this.#queue.push(job);
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
    const child = this.#child;
    const isAtWork = this.#queue.length > 0 || !this.#isReady;
    this.#child = undefined;
    for (const job of this.#queue.splice(0)) job.settle({ fault: toClosed(job) });
    if (isAtWork) child?.kill();
    else await child?.close();
    await Promise.all([child?.ended, this.#resting]);
  }

  #start(): Child {
    this.starts += 1;
    this.#isReady = this.#hasBegun = this.#isKilled = false;
    const child: Child = new Child(this.#options, {
      message: (message) => {
        if (child === this.#child) this.#receive(message);
      },
      exit: (end) => {
        if (child === this.#child) this.#lost(end);
      },
    });
    child.ref(this.#queue.length > 0);
    return child;
  }

  #pump(): void {
    const isWanted = this.#queue.length > 0;
    clearTimeout(this.#idle);
    if (isWanted) this.warm();
    else if (this.#idleMs !== undefined) this.#idle = setTimeout(() => this.#rest(), this.#idleMs).unref();
    this.#child?.ref(isWanted);
    if (!this.#isReady) return;
    for (let at = 0; at < this.#queue.length && at < WINDOW; at += 1) {
      const job = this.#queue[at];
      if (!job || job.isSent) continue;
      if (job.writes && at > 0) return;
      job.isSent = true;
      this.#child?.send({ id: job.id, op: job.op, request: job.request });
    }
  }

  #rest(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#resting = child?.close();
  }

  #receive(message: FromChild): void {
    if ("ready" in message) {
      this.#isReady = !this.#isKilled;
      this.#hasBegun = true;
      this.#pump();
      return;
    }
    const job = this.#queue[0];
    // Answers come in order; anything else is of a job that was dropped.
    if (job?.id !== message.id) return;
    if ("started" in message) job.isStarted = true;
    else if ("progress" in message) this.#report(job, message.progress);
    else if ("chunk" in message) void this.#takeChunk(job, message.chunk);
    else if ("pull" in message) void this.#giveInput(job);
    else this.#answered(job, "ok" in message ? { ok: message.ok } : { fault: fromData(message.fault) });
  }

  #answered(job: Job, outcome: Parameters<Job["settle"]>[0]): void {
    this.#queue.shift();
    job.settle(outcome);
    this.#pump();
    this.#endUnwanted();
  }

  /** The next in turn may be one that was cancelled as it waited in the child. */
  #endUnwanted(): void {
    const job = this.#queue[0];
    if (!job?.isSettled) return;
    const child = this.#child;
    setTimeout(() => {
      if (this.#queue[0] === job && this.#child === child) this.#kill();
    }, GRACE_MS).unref();
  }

  #report(job: Job, progress: Progress): void {
    try {
      job.hooks.onProgress?.(progress);
    } catch (thrown) {
      this.#fail(job, thrown);
    }
  }

  async #takeChunk(job: Job, chunk: unknown): Promise<void> {
    try {
      await job.hooks.onChunk?.(chunk);
      this.#child?.send({ ack: job.id });
    } catch (thrown) {
      this.#fail(job, thrown);
    }
  }

  async #giveInput(job: Job): Promise<void> {
    try {
      const step = (await job.input?.next()) ?? { done: true, value: undefined };
      this.#child?.send(
        step.done === true ? { input: job.id, end: true } : { input: job.id, value: step.value },
      );
    } catch (thrown) {
      this.#fail(job, thrown);
    }
  }

  /** The caller's half of a task failed: the child's half is of no use any more. */
  #fail(job: Job, thrown: unknown): void {
    if (this.#queue[0] !== job) return;
    job.settle({
      fault: thrown instanceof Fault ? thrown : new Fault("internal", "The task failed.", { cause: thrown }),
    });
    this.#kill();
  }

  #abort(job: Job, signal: AbortSignal): void {
    const at = this.#queue.indexOf(job);
    if (at === 0 && job.isSent) {
      // What a write came to is told when the process has ended: its last messages may still be on the way.
      if (job.writes) job.abortedBy = signal;
      else job.settle({ fault: toAborted(signal, this.#isMemory ? LOST_MEMORY : "") });
      this.#kill();
      return;
    }
    job.settle({ fault: toAborted(signal, "Nothing was done.") });
    if (job.isSent) this.#child?.send({ cancel: job.id });
    else this.#queue.splice(at, 1);
  }

  #kill(): void {
    this.#isKilled = true;
    this.#isReady = false;
    this.#child?.kill();
  }

  /** The child ended, by our hand or not. What had not begun goes to the next one. */
  #lost(end: ChildEnd): void {
    const hadBegun = this.#hasBegun;
    this.#child = undefined;
    const [first] = this.#queue;
    const unanswered = this.#queue.splice(0).filter((job) => !job.isSettled);
    for (const job of unanswered) {
      const fault = this.#isKilled || hadBegun ? this.#toLoss(job, job === first, end) : toUnstartable(end);
      if (fault) job.settle({ fault });
      else this.#queue.push(Object.assign(job, { isSent: false, isStarted: false }));
    }
    this.#pump();
  }

  /** Why it cannot go to the next process, if that is so. */
  #toLoss(job: Job, isFirst: boolean, end: ChildEnd): Fault | undefined {
    const outcome = this.#isMemory ? LOST_MEMORY : job.writes ? toOutcome(job) : "";
    if (job.abortedBy) return toAborted(job.abortedBy, outcome);
    if (isFirst && job.isSent && end.outOfMemory) return toOutOfMemory(outcome);
    if (isFirst && job.isSent && !this.#isKilled) job.deaths += 1;
    if (job.isStarted || job.deaths >= MAX_DEATHS) return toDied(outcome, end);
    return this.#isMemory ? toLostMemory() : undefined;
  }
}
