import { type StopSignal, toAbortFault } from "@suite/server-kit/domain";

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Weighs the pages that are being fetched or read, so that many large ones wait for each other. */
export class HeldBytes {
  readonly #most: number;
  readonly #waiting: Waiting[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for room. One page alone is always let in, however large it is. */
  reserve(bytes: number, signal: StopSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(toAbortFault(signal));
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(toAbortFault(signal));
        this.#admit();
      };
      const enter = (): void => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      const waiting = { bytes, enter };
      signal.addEventListener("abort", abort);
      this.#waiting.push(waiting);
      this.#admit();
      return undefined;
    });
  }

  /** For what is already there. */
  add(bytes: number): void {
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
    this.#admit();
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || (this.#held > 0 && this.#held + next.bytes > this.#most)) return;
      this.#waiting.shift();
      this.#held += next.bytes;
      next.enter();
    }
  }
}
