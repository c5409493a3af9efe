import { classify, type MessageReceiver } from "./jsonrpc/classify.ts";
import type { JSONRPCRequest } from "./jsonrpc/message.ts";
import { initialize, type Introduction } from "./revision/initialize.ts";
import { modernMeta } from "./revision/modern-request.ts";
import type { Serving, Servable } from "./serve.ts";
import type { Route } from "./session/outlet.ts";

/**
 * A server that is not there yet. It answers `initialize`, which needs nothing but the introduction, and has the rest loaded
 * meanwhile: a host that starts ten servers waits for none of their code.
 */
export class DeferredServer<E extends Serving = Serving> implements Servable<DeferredEndpoint<E>> {
  /** Rejects when the server cannot be loaded. */
  readonly failed: Promise<never>;
  readonly #introduction: Introduction;
  readonly #load: () => Promise<Servable<E>>;
  #server: Servable<E> | undefined;
  #loading: Promise<Servable<E>> | undefined;
  #fail: (thrown: unknown) => void = () => undefined;

  /** `load` must give a server that introduces itself in the same words. */
  constructor(introduction: Introduction, load: () => Promise<Servable<E>>) {
    this.#introduction = introduction;
    this.#load = load;
    this.failed = new Promise<never>((_, reject) => (this.#fail = reject));
    // Whoever serves listens to it; a server that is never served must not end the process.
    this.failed.catch(() => undefined);
  }

  open(): DeferredEndpoint<E> {
    return new DeferredEndpoint(this.#introduction, (use) => void this.#whenLoaded(use));
  }

  close(endpoint: DeferredEndpoint<E>, reason: Error): void {
    if (endpoint.inner) this.#server?.close(endpoint.inner, reason);
  }

  async dispose(): Promise<void> {
    await this.#server?.dispose();
  }

  async #whenLoaded(use: (server: Servable<E>) => void): Promise<void> {
    try {
      this.#loading ??= this.#loadSoon();
      use(await this.#loading);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Not before the answer to `initialize` has left: loading keeps the process busy. */
  async #loadSoon(): Promise<Servable<E>> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#server = await this.#load();
    return this.#server;
  }
}

/** One connection to it: what comes before the server does is kept, in order. */
class DeferredEndpoint<E extends Serving> implements Serving {
  inner: E | undefined;
  readonly #introduction: Introduction;
  readonly #request: (use: (server: Servable<E>) => void) => void;
  readonly #waiting: { readonly value: unknown; readonly route: Route }[] = [];

  constructor(introduction: Introduction, request: (use: (server: Servable<E>) => void) => void) {
    this.#introduction = introduction;
    this.#request = request;
  }

  get session(): Serving["session"] {
    return this.inner?.session ?? { isIdle: this.#waiting.every(({ route }) => route.outlet === NOWHERE) };
  }

  receive(value: unknown, route: Route): void {
    if (this.inner) return this.inner.receive(value, route);
    const isFirst = this.#waiting.length === 0;
    // The server is told all the same, but its answer would be the second one.
    const isAnswered = isFirst && this.#introduce(value, route);
    this.#waiting.push({
      value,
      route: isAnswered ? { unprompted: route.outlet, ...route, outlet: NOWHERE } : route,
    });
    if (isFirst) this.#request((server) => this.#pass(server.open()));
  }

  #pass(inner: E): void {
    this.inner = inner;
    for (const { value, route } of this.#waiting) inner.receive(value, route);
    this.#waiting.length = 0;
  }

  /** Only what is plainly right; everything else is for the server to judge. */
  #introduce(value: unknown, route: Route): boolean {
    let isAnswered = false;
    const ignore = (): void => undefined;
    const receiver: MessageReceiver<Route> = {
      request: (message) => (isAnswered = this.#answer(message, route)),
      notification: ignore,
      response: ignore,
      malformed: ignore,
    };
    if (!Array.isArray(value)) classify(value, receiver, route);
    return isAnswered;
  }

  #answer({ id, method, params = {} }: JSONRPCRequest, { outlet }: Route): boolean {
    if (method !== "initialize" || modernMeta(params)) return false;
    try {
      const { result } = initialize(params, this.#introduction);
      outlet.send({ jsonrpc: "2.0", id, result });
      return true;
    } catch {
      return false;
    }
  }
}

const NOWHERE = { send: (): void => undefined };
