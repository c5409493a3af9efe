import { AuthorizationError } from "./error.ts";

interface Running {
  readonly outcome: Promise<boolean>;
  readonly controller: AbortController;
  waiting: number;
}

/** Work that many wait for and that is done once at a time. It has a deadline, and stops when nobody waits any more. */
export class Shared {
  readonly #longestMs: number;
  #running: Running | undefined;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** Joins what is going on already; otherwise does `work`. */
  async run(
    work: (signal: AbortSignal) => Promise<boolean>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    signal?.throwIfAborted();
    const running = (this.#running ??= this.#start(work));
    running.waiting += 1;
    let leave: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason as Error);
    });
    signal?.addEventListener("abort", leave);
    try {
      return await Promise.race([running.outcome, left]);
    } finally {
      signal?.removeEventListener("abort", leave);
      running.waiting -= 1;
      if (running.waiting === 0) running.controller.abort(new Error("nobody waits for it any more"));
    }
  }

  #start(work: (signal: AbortSignal) => Promise<boolean>): Running {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      controller.abort(
        new AuthorizationError(
          `Nobody had logged in after ${this.#longestMs / 1000} seconds`,
          "Try again, and finish the login in the browser, or allow more time.",
        ),
      );
    }, this.#longestMs);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
    // Whoever waits is told, even if the work goes on.
    const outcome = Promise.race([work(signal), aborted]).finally(() => {
      clearTimeout(timer);
      if (this.#running?.controller === controller) this.#running = undefined;
    });
    outcome.catch(() => undefined);
    return { outcome, controller, waiting: 0 };
  }
}
