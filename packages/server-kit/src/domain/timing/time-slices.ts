import { setImmediate } from "node:timers/promises";

import type { StopSignal } from "../errors/stop-signal.ts";

/** Short enough for other calls and for cancellation, long enough that the pauses cost nothing. */
const SLICE_MS = 8;
/** Reading the clock costs as much as processing an entry. */
const STEPS_PER_LOOK = 32;

/** Splits long synchronous work into slices, so that other calls and cancellations are handled in between. */
export class TimeSlices {
  readonly #signal: StopSignal;
  readonly #onPause: (() => void) | undefined;
  readonly #now: () => number;
  #endsAt: number;
  #steps = 0;

  constructor(signal: StopSignal, onPause?: () => void, now: () => number = () => performance.now()) {
    signal.throwIfAborted();
    this.#signal = signal;
    this.#onPause = onPause;
    this.#now = now;
    this.#endsAt = now() + SLICE_MS;
  }

  /** Call after each small step. Returns a promise to await if the slice is over. */
  step(): Promise<void> | undefined {
    this.#steps += 1;
    return this.#steps % STEPS_PER_LOOK === 0 ? this.look() : undefined;
  }

  /** Call after a step that may have taken long. */
  look(): Promise<void> | undefined {
    return this.#now() < this.#endsAt ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    this.#onPause?.();
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#endsAt = this.#now() + SLICE_MS;
  }
}
