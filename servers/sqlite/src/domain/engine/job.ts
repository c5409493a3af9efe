import { Fault } from "@suite/server-kit/domain";
import type { FaultData, Operation, Progress, Requests } from "./protocol.ts";

export interface JobHooks {
  onProgress?(progress: Progress): void;
  /** Takes a part of a task's result; the next one comes when this has resolved. */
  onChunk?(chunk: unknown): void | Promise<void>;
  readonly input?: AsyncIterable<unknown>;
}

/** A request on its way, from the queue to its answer. */
export interface Job {
  readonly id: number;
  readonly op: Operation;
  readonly request: Requests[Operation];
  readonly hooks: JobHooks;
  readonly writes: boolean;
  readonly input: AsyncIterator<unknown> | undefined;
  /** Sent to the child that runs now. */
  isSent: boolean;
  /** The child has begun with it: only known of those that write. */
  isStarted: boolean;
  /** Its owner has an answer already; the child may still have to come to it. */
  isSettled: boolean;
  /** Set for a write that was stopped, until it is known what became of it. */
  abortedBy: AbortSignal | undefined;
  /** Processes that ended while it was the one that ran. */
  deaths: number;
  settle(outcome: { readonly ok: unknown } | { readonly fault: Fault }): void;
}

interface JobEvents {
  aborted(): void;
  ok(value: unknown): void;
  fault(fault: Fault): void;
}

export function createJob(
  message: Pick<Job, "id" | "op" | "request">,
  { writes, ...hooks }: JobHooks & { readonly writes: boolean },
  signal: AbortSignal,
  events: JobEvents,
): Job {
  const onAbort = (): void => events.aborted();
  const job: Job = {
    ...message,
    hooks,
    writes,
    input: hooks.input?.[Symbol.asyncIterator](),
    isSent: false,
    isStarted: false,
    isSettled: false,
    abortedBy: undefined,
    deaths: 0,
    settle: (outcome) => {
      if (job.isSettled) return;
      job.isSettled = true;
      signal.removeEventListener("abort", onAbort);
      // What its source says to that concerns nobody any more.
      job.input?.return?.().catch(() => {});
      if ("fault" in outcome) events.fault(outcome.fault);
      else events.ok(outcome.ok);
    },
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return job;
}

export function fromData({ code, message, ...options }: FaultData): Fault {
  return new Fault(code, message, options);
}

/** Why a signal was aborted decides whose fault it is. */
export function toAborted(signal: AbortSignal, outcome: string): Fault {
  const reason: unknown = signal.reason;
  const isTimeout = reason instanceof Error && reason.name === "TimeoutError";
  if (reason instanceof Fault) {
    const { code, hint, details } = reason;
    return new Fault(code, `${reason.message} ${outcome}`.trim(), {
      ...(hint === undefined ? {} : { hint }),
      ...(details === undefined ? {} : { details }),
      cause: reason,
    });
  }
  return new Fault(
    isTimeout ? "timeout" : "cancelled",
    `${isTimeout ? "The statement took too long and was stopped." : "The statement was cancelled."} ${outcome}`.trim(),
    isTimeout
      ? { hint: "Ask for less, or look at the plan with explain_query.", cause: reason }
      : { cause: reason },
  );
}
