export interface ProgressReport {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Enough to animate a bar, too little to flood a client (progress#implementation-notes). */
const SHORTEST_INTERVAL_MS = 20;

/** Sends reports that grow, at a bounded rate, and never loses the last one. */
export class ProgressReporter {
  readonly #send: (report: ProgressReport) => void;
  #highest = Number.NEGATIVE_INFINITY;
  #sentAt = Number.NEGATIVE_INFINITY;
  #held: ProgressReport | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (report: ProgressReport) => void) {
    this.#send = send;
  }

  report(report: ProgressReport, now: number = Date.now()): void {
    if (!Number.isFinite(report.progress) || report.progress <= this.#highest) return;
    this.#highest = report.progress;
    // A clock set back must not silence the reports.
    if (Math.abs(now - this.#sentAt) < SHORTEST_INTERVAL_MS) {
      this.#held = report;
      this.#timer ??= setTimeout(() => this.flush(), SHORTEST_INTERVAL_MS);
      return;
    }
    this.#forgetHeld();
    this.#sentAt = now;
    this.#send(report);
  }

  /** Called before the answer goes out: afterwards no progress may follow (progress#behavior-requirements). */
  flush(): void {
    const held = this.#held;
    this.#forgetHeld();
    if (held) this.#send(held);
  }

  #forgetHeld(): void {
    this.#held = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
