import { Fault, type StopSignal } from "@suite/server-kit/domain";
import type { OperationName, ResultOf, WorkerRequest } from "../protocol/messages.ts";
import type { Chunk, Portion, Progress } from "../protocol/statements.ts";

export interface JobHooks {
  onProgress?(progress: Progress): void;
  /** Takes a part of a task's result; the next one comes when this has resolved. */
  onChunk?(chunk: Chunk): void | Promise<void>;
  /** A task that writes commits nothing before this has ended. */
  readonly input?: AsyncIterable<Portion>;
}

export interface JobOptions extends JobHooks {
  readonly writes: boolean;
}

interface JobEvents<Name extends OperationName> {
  aborted(job: Job<Name>): void;
  ok(result: ResultOf<Name>): void;
  fault(fault: Fault): void;
}

/** A request on its way, from the queue to its answer. */
export class Job<Name extends OperationName = OperationName> {
  readonly message: WorkerRequest<Name>;
  readonly hooks: JobOptions;
  /** Sent to the worker that runs now. */
  isSent = false;
  /** The worker has begun with it; reads do not report this. */
  isStarted = false;
  /** All of its input was sent, or there is none. */
  isFed: boolean;
  /** The caller has its answer, though the worker may not have come to it yet. */
  isAnswered = false;
  /** A write was stopped, and its outcome is not known yet. */
  isAborted = false;
  /** How many processes ended while it was running. */
  deaths = 0;
  readonly signal: StopSignal;
  readonly #events: JobEvents<Name>;
  readonly #onAbort: () => void;
  readonly #input: AsyncIterator<Portion> | undefined;

  constructor(message: WorkerRequest<Name>, hooks: JobOptions, signal: StopSignal, events: JobEvents<Name>) {
    this.message = message;
    this.hooks = hooks;
    this.#input = hooks.input?.[Symbol.asyncIterator]();
    this.isFed = this.#input === undefined;
    this.signal = signal;
    this.#events = events;
    this.#onAbort = () => events.aborted(this);
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Undefined at the end of the input. */
  async nextPortion(): Promise<Portion | undefined> {
    const step = (await this.#input?.next()) ?? { done: true, value: undefined };
    this.isFed = step.done === true;
    return step.done === true ? undefined : step.value;
  }

  get writes(): boolean {
    return this.hooks.writes;
  }

  succeed(result: ResultOf<Name>): void {
    if (this.#claimAnswer()) this.#events.ok(result);
  }

  fail(fault: Fault): void {
    if (this.#claimAnswer()) this.#events.fault(fault);
  }

  #claimAnswer(): boolean {
    if (this.isAnswered) return false;
    this.isAnswered = true;
    this.signal.removeEventListener("abort", this.#onAbort);
    // Errors of its source no longer matter.
    this.#input?.return?.().catch(() => {});
    return true;
  }
}

/** The reason of the abort decides the code: its own fault, a timeout, or a cancellation. */
export function toAborted({ reason }: StopSignal, outcome: string): Fault {
  const isTimeout = reason instanceof Error && reason.name === "TimeoutError";
  const { code, message, hint, details } =
    reason instanceof Fault
      ? reason
      : isTimeout
        ? new Fault("timeout", "The call took too long and was stopped.", {
            hint: "Ask for less, or look at the plan with explain_query.",
          })
        : new Fault("cancelled", "The call was cancelled.");
  return new Fault(code, `${message} ${outcome}`.trim(), { hint, details, cause: reason });
}
