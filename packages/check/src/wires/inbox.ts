import type { Message, Predicate } from "./message.ts";

/** Messages that nobody has taken yet. */
export class Inbox {
  readonly #untaken = new Set<Message>();
  readonly #waiting = new Set<() => void>();
  #closed: string | undefined;

  add(message: Message): void {
    this.#untaken.add(message);
    this.#wake();
  }

  /** Nothing more will come that is worth waiting for. The first reason counts. */
  close(reason: string): void {
    this.#closed ??= reason;
    this.#wake();
  }

  /** The oldest message that fits; rejects when it does not come in time. */
  async take(fits: Predicate, timeoutMs: number): Promise<Message> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      for (const message of this.#untaken) {
        if (!fits(message)) continue;
        this.#untaken.delete(message);
        return message;
      }
      if (this.#closed !== undefined) throw new Error(this.#closed);
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`Nothing of the kind was heard in ${timeoutMs} ms`);
      await this.#news(left);
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
