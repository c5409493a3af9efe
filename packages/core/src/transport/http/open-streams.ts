import { inBackground } from "../../features/background-timer.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import { KEEP_ALIVE } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";

/** The event streams that are open, kept alive by one timer, and the connections that still have work. */
export class OpenStreams {
  readonly #streams = new Set<HttpStream>();
  readonly #busy = new Set<Endpoint>();
  readonly #keepAliveMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Idle streams die in proxies and browsers unless something comes over them from time to time. */
  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs;
  }

  add(stream: HttpStream): void {
    this.#streams.add(stream);
    this.#timer ??= inBackground(setInterval(() => this.#keepAlive(), this.#keepAliveMs));
  }

  delete(stream: HttpStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  started(endpoint: Endpoint): void {
    this.#busy.add(endpoint);
  }

  done(endpoint: Endpoint): void {
    this.#busy.delete(endpoint);
  }

  get busy(): ReadonlySet<Endpoint> {
    return this.#busy;
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
    clearInterval(this.#timer);
  }

  #keepAlive(): void {
    for (const stream of this.#streams) stream.write(KEEP_ALIVE);
  }
}
