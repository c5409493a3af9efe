import { inBackground } from "../../timing/timers.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import { KEEP_ALIVE } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";

type Timer = ReturnType<typeof setTimeout>;

/** The longest delay that timers support. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The event streams that are open, kept alive by one timer, and the connections that still have work. */
export class OpenStreams {
  /** Connections that are not part of a session. */
  readonly busy: Set<Endpoint> = new Set();
  readonly #streams = new Set<HttpStream>();
  readonly #expiring = new Map<HttpStream, Timer>();
  readonly #keepAliveMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Idle streams die in proxies and browsers unless something comes over them from time to time. */
  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs;
  }

  /** A stream without an end of its own must not outlive the token that it was opened with. */
  add(stream: HttpStream, expiresAt?: number): void {
    this.#streams.add(stream);
    if (expiresAt !== undefined) this.#endAt(stream, expiresAt);
    this.#timer ??= inBackground(setInterval(() => this.#keepAlive(), this.#keepAliveMs));
  }

  delete(stream: HttpStream): void {
    this.#streams.delete(stream);
    clearTimeout(this.#expiring.get(stream));
    this.#expiring.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Bytes that were written to any of them and have not left yet. */
  get unread(): number {
    return [...this.#streams].reduce((sum, { unread }) => sum + unread, 0);
  }

  close(): void {
    for (const stream of this.#streams) {
      stream.end();
      this.delete(stream);
    }
  }

  #endAt(stream: HttpStream, time: number): void {
    const left = time - Date.now();
    const next = left > LONGEST_TIMER ? () => this.#endAt(stream, time) : () => stream.end();
    this.#expiring.set(stream, inBackground(setTimeout(next, Math.min(left, LONGEST_TIMER))));
  }

  #keepAlive(): void {
    for (const stream of this.#streams) if (stream.unread === 0) stream.write(KEEP_ALIVE);
  }
}
