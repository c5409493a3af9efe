/** Combines many calls into one: after `quietMs` without a call, but at most `mostMs` after the first. */
export class Debounce {
  readonly #work: () => void;
  readonly #quietMs: number;
  readonly #mostMs: number;
  #timer: NodeJS.Timeout | undefined;
  #deadline = 0;

  constructor(work: () => void, { quietMs, mostMs }: { readonly quietMs: number; readonly mostMs: number }) {
    this.#work = work;
    this.#quietMs = quietMs;
    this.#mostMs = mostMs;
  }

  call(): void {
    const now = performance.now();
    if (this.#timer === undefined) this.#deadline = now + this.#mostMs;
    // Already due: resetting the timer on every call could postpone it forever.
    else if (now >= this.#deadline) return;
    clearTimeout(this.#timer);
    const wait = Math.min(this.#quietMs, this.#deadline - now);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, wait);
    this.#timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
