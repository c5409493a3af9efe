import { StopSource, type StopSignal } from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { countOf } from "../../domain/text/counts.ts";
import { toCause } from "./failures.ts";

/** How long work may take to stop after the signal, before the call fails without waiting for it. */
const GRACE_MS = 1000;
/** The longest delay that `setTimeout` supports. */
const LONGEST_MS = 2 ** 31 - 1;

/** Read only when a call first looks at its signal: most never do. */
interface OuterCall {
  readonly stop: StopSignal;
}

/** One call's deadline: aborts the work when time is up, and is paused while the client is asked. */
export class Deadline {
  readonly #ms: number;
  readonly #outer: OuterCall;
  #left: number;
  #startedAt = 0;
  #stop: StopSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #expire: (() => void) | undefined;
  #over: Fault | undefined;
  #pauses = 0;

  constructor(ms: number, outer: OuterCall) {
    this.#ms = Math.min(ms, LONGEST_MS);
    this.#left = this.#ms;
    this.#outer = outer;
  }

  /** Aborted at the deadline, and when the client cancels or disconnects. Created on first use. */
  get stop(): StopSource {
    return (this.#stop ??= this.#createStop());
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** It does not get less while the client is asked. */
  get leftMs(): number {
    return this.#timer === undefined ? this.#left : this.#left - (performance.now() - this.#startedAt);
  }

  /** Continues with the work's result or failure, or with a timeout; in one promise, as more would cost more than small calls. */
  watch<T, R>(work: Promise<T>, onResult: (result: T) => R, onThrown: (thrown: unknown) => R): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      let isDone = false;
      const finish = <V>(goOn: (value: V) => R, value: V): void => {
        if (isDone) return;
        isDone = true;
        clearTimeout(this.#timer);
        this.#expire = undefined;
        try {
          resolve(goOn(value));
        } catch (thrown) {
          reject(thrown);
        }
      };
      this.#expire = () => {
        const fault = (this.#over = this.#toFault());
        this.stop.abort(fault);
        this.#timer = setTimeout(() => finish(onThrown, fault), GRACE_MS);
      };
      this.#startTimer();
      work.then(
        (result) => finish(onResult, result),
        (thrown: unknown) => finish(onThrown, toCause(thrown, this.stop)),
      );
    });
  }

  /** Pauses the deadline: a person may take minutes to answer. */
  pausedFor<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#pausedFor(ask);
    // A handler may ask several things before it awaits the first: the others must not be reported as unhandled.
    answer.catch(() => undefined);
    return answer;
  }

  async #pausedFor<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#over) throw this.#over;
    this.#pauses += 1;
    if (this.#pauses === 1) this.#stopTimer();
    try {
      return await ask();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#startTimer();
    }
  }

  #createStop(): StopSource {
    const stop = new StopSource();
    const outer = this.#outer.stop;
    const cancel = (): void =>
      stop.abort(new Fault("cancelled", "The call was cancelled.", { cause: outer.reason }));
    if (outer.aborted) cancel();
    else outer.addEventListener("abort", cancel);
    return stop;
  }

  #startTimer(): void {
    if (this.#expire === undefined || this.#over || this.#pauses > 0) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#expire, this.#left);
  }

  #stopTimer(): void {
    if (this.#timer === undefined) return;
    this.#left = Math.max(1, this.leftMs);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #toFault(): Fault {
    return new Fault("timeout", `Stopped: this was not done within ${countOf(this.#ms / 1000, "second")}.`, {
      hint: "Ask for less at a time. The client or the operator (--timeout) can allow more.",
      details: { timeoutMs: this.#ms },
    });
  }
}
