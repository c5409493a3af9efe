import type { Context, Params, StopSignal } from "@suite/core";
import { DEFAULT_BUDGET } from "../text/fit-items.ts";
import type { Deadline } from "./deadline.ts";
import type { ToolContext } from "./tool.ts";

/** The context of the core, with the deadline in its signal, and out of the way while the client is asked. */
export class CallContext<State = unknown> implements ToolContext<State> {
  readonly #inner: Context<State>;
  readonly #deadline: Deadline;
  /** Characters that each view of the result may have, all told. */
  readonly limit: number;

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

  get elicit(): Context["elicit"] {
    const { elicit } = this.#inner;
    const ask = (...question: Parameters<typeof elicit>): Promise<unknown> =>
      this.#deadline.pausedFor(() => elicit(...question));
    // One function for both of its overloads.
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

/** For the header, fences, field names and the note; the rest is for the content. */
const RESERVE = 1000;

/** What a result may have in each view. `max_bytes` of the call counts for more than the default, and the operator's most for more than both. */
export const limitOf = (args: Params | undefined, maxResult: number): number => {
  const asked = args?.["max_bytes"];
  return Math.min(typeof asked === "number" ? asked : DEFAULT_BUDGET + RESERVE, maxResult);
};

/** What is left of it for the content. */
const toBudget = (limit: number): number => limit - Math.min(RESERVE, Math.floor(limit / 2));
