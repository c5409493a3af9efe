import { StopSource, type StopSignal } from "@suite/core";

import { Fault } from "../errors/fault.ts";
import { toCause } from "./failures.ts";

/** For work to stop by itself once it was told to; what takes longer is left behind. */
const GRACE_MS = 1000;
/** What a timer can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** One call's time: it stops the work when it is over, and stands still while a person is asked. */
export class Deadline {
  readonly #ms: number;
  readonly #outer: () => StopSignal;
  #left: number;
  #startedAt = 0;
  #stop: StopSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #expire: (() => void) | undefined;
  #over: Fault | undefined;
  #pauses = 0;

  constructor(ms: number, outer: () => StopSignal) {
    this.#ms = Math.min(ms, LONGEST_MS);
    this.#left = this.#ms;
    this.#outer = outer;
  }

  /** Aborted at the deadline, and when the client cancels or goes. Made when first looked at: most calls never do. */
  get stop(): StopSource {
    return (this.#stop ??= this.#createStop());
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** The work's own result or failure, or a timeout. */
  watch<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#expire = () => {
        const fault = (this.#over = this.#toFault());
        this.stop.abort(fault);
        this.#timer = setTimeout(() => reject(fault), GRACE_MS);
      };
      this.#startTimer();
      const finish = (): void => {
        clearTimeout(this.#timer);
        this.#expire = undefined;
      };
      work.then(
        (value) => (finish(), resolve(value)),
        (thrown: unknown) => (finish(), reject(toCause(thrown, this.stop))),
      );
    });
  }

  /** A person may take minutes, and that is nobody's fault. */
  pausedFor<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#pausedFor(ask);
    // A handler may ask several things before it waits for the first; the others must not count as unhandled till then.
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
    const outer = this.#outer();
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(1, this.#left - (performance.now() - this.#startedAt));
  }

  #toFault(): Fault {
    return new Fault("timeout", `Stopped: this was not done within ${this.#ms / 1000} seconds.`, {
      hint: "Ask for less at a time, or allow more time with _meta dev.suite/timeoutMs.",
      details: { timeoutMs: this.#ms },
    });
  }
}
