import type { Context, Params, StopSignal } from "@suite/core";
import { DEFAULT_BUDGET } from "../../domain/paging/fit-items.ts";
import type { Deadline } from "./deadline.ts";
import type { Fence } from "./shared-results.ts";
import type { ToolContext } from "./tool.ts";

/** The core's context, with a signal that the deadline aborts. The deadline is paused while the client is asked. */
export class CallContext<State = unknown> implements ToolContext<State> {
  readonly #inner: Context<State>;
  readonly #deadline: Deadline;
  /** The most characters that each view of the result may have in total. */
  readonly limit: number;
  /** Set if the call was claimed among replicas. */
  fence: Fence | undefined;

  constructor(inner: Context<State>, deadline: Deadline, limit: number) {
    this.#inner = inner;
    this.#deadline = deadline;
    this.limit = limit;
  }

  get budget(): number {
    return toBudget(this.limit);
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get stop(): StopSignal {
    return this.#deadline.stop;
  }

  abort(reason: unknown): void {
    this.#deadline.stop.abort(reason);
  }

  get leftMs(): number {
    return this.#deadline.leftMs;
  }

  get elicit(): Context["elicit"] {
    const { elicit } = this.#inner;
    const ask = (...question: Parameters<typeof elicit>): Promise<unknown> =>
      this.#deadline.pausedFor(() => elicit(...question));
    // One function implements both overloads.
    return ask as Context["elicit"];
  }

  get sample(): Context["sample"] {
    return (...question) => this.#deadline.pausedFor(() => this.#inner.sample(...question));
  }

  get roots(): Context["roots"] {
    return (...question) => this.#deadline.pausedFor(() => this.#inner.roots(...question));
  }

  get log(): Context["log"] {
    return this.#inner.log;
  }

  get progress(): Context["progress"] {
    return this.#inner.progress;
  }

  get notify(): Context["notify"] {
    return this.#inner.notify;
  }

  get detach(): Context["detach"] {
    return this.#inner.detach;
  }

  get state(): State {
    return this.#inner.state;
  }

  get client(): Context["client"] {
    return this.#inner.client;
  }

  get requestId(): Context["requestId"] {
    return this.#inner.requestId;
  }

  get meta(): Context["meta"] {
    return this.#inner.meta;
  }

  get principal(): string | undefined {
    return this.#inner.principal;
  }
}

/** How long this call may still take: for work that would rather fail at once than run out of time. */
export const timeLeftIn = (context: Context): number =>
  context instanceof CallContext ? context.leftMs : Infinity;

/** Characters reserved for the header, fences, field names and the note. */
const RESERVE = 1000;

/** The most characters of each view: the call's `max_bytes` or the default, but never more than the operator allows. */
export const limitOf = (args: Params | undefined, maxResult: number): number => {
  const asked = args?.["max_bytes"];
  return Math.min(typeof asked === "number" ? asked : DEFAULT_BUDGET + RESERVE, maxResult);
};

/** The part of the limit that is left for the content. */
const toBudget = (limit: number): number => limit - Math.min(RESERVE, Math.floor(limit / 2));
