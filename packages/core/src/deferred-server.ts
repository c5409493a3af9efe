import { classify, type MessageReceiver } from "./jsonrpc/classify.ts";
import type { JSONRPCRequest, Params } from "./jsonrpc/message.ts";
import { DEFAULT_CACHING } from "./model/caching.ts";
import type { ClientCapabilities } from "./model/capabilities.ts";
import type { Tool } from "./model/entities.ts";
import { initialize, type Introduction, type Opening } from "./revision/initialize.ts";
import { parseModernEnvelope, readModernMeta } from "./revision/modern-request.ts";
import { SUPPORTED_VERSIONS } from "./revision/revisions.ts";
import type { Serving, Servable } from "./serve.ts";
import { toDiscovery } from "./connection/discovery.ts";
import type { Route } from "./connection/reply-channel.ts";

/** What is known of a server before it is loaded. It must match what the server itself would answer. */
export interface ServerOutline extends Introduction {
  /** The tools that it would list, if they fit on one page. */
  readonly tools?: (client: ClientCapabilities) => readonly Tool[];
}

/**
 * A server that is not loaded yet. Answers `initialize`, `server/discover` and `tools/list` from an outline, and loads the
 * rest meanwhile: a host that starts ten servers does not wait for their code.
 */
export class DeferredServer<E extends Serving = Serving> implements Servable<DeferredEndpoint<E>> {
  /** Rejects when the server cannot be loaded. */
  readonly failed: Promise<never>;
  readonly #outline: ServerOutline;
  readonly #load: () => Promise<Servable<E>>;
  #server: Servable<E> | undefined;
  #loading: Promise<Servable<E>> | undefined;
  #fail: (thrown: unknown) => void = () => undefined;

  /** The server that `load` returns must introduce itself exactly as the outline does. */
  constructor(outline: ServerOutline, load: () => Promise<Servable<E>>) {
    this.#outline = outline;
    this.#load = load;
    this.failed = new Promise<never>((_, reject) => (this.#fail = reject));
    // `serveStdio` handles it. Without a handler, the rejection would end the process.
    this.failed.catch(() => undefined);
  }

  open(): DeferredEndpoint<E> {
    return new DeferredEndpoint(this.#outline, (use) => void this.#whenLoaded(use));
  }

  close(endpoint: DeferredEndpoint<E>, reason: Error): void {
    endpoint.stopWaiting();
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

  /** Only after the last answer has been written: loading blocks the process. */
  async #loadSoon(): Promise<Servable<E>> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#server = await this.#load();
    return this.#server;
  }
}

/** Most clients list the tools right after the handshake, and should not wait for the loading. Others are seldom in a hurry. */
const PAUSE_MS = 100;

/** One connection: messages that the outline cannot answer are kept for the server, in order. */
class DeferredEndpoint<E extends Serving> implements Serving {
  inner: E | undefined;
  readonly #outline: ServerOutline;
  readonly #request: (use: (server: Servable<E>) => void) => void;
  readonly #kept: { readonly value: unknown; readonly route: Route }[] = [];
  #legacy: Pick<Opening, "dialect" | "client"> | undefined;
  #isRequested = false;
  /** A request waits for the server, and everything after it has to wait too. */
  #isAwaited = false;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(outline: ServerOutline, request: (use: (server: Servable<E>) => void) => void) {
    this.#outline = outline;
    this.#request = request;
  }

  get connection(): Serving["connection"] {
    return this.inner?.connection ?? { isIdle: !this.#isAwaited };
  }

  receive(value: unknown, route: Route): void {
    if (this.inner) return this.inner.receive(value, route);
    if (this.#isAwaited || Array.isArray(value)) return this.#await(value, route);
    const leave = (): void => this.#await(value, route);
    const receiver: MessageReceiver<Route> = {
      request: (message) => this.#answer(message, route) || leave(),
      notification: () => void this.#kept.push({ value, route }),
      response: leave,
      malformed: leave,
    };
    classify(value, receiver, route);
  }

  stopWaiting(): void {
    clearTimeout(this.#pause);
  }

  #await(value: unknown, route: Route): void {
    this.#isAwaited = true;
    this.#kept.push({ value, route });
    this.#loadNow();
  }

  #loadNow(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.stopWaiting();
    this.#request((server) => this.#pass(server.open()));
  }

  #pass(inner: E): void {
    this.inner = inner;
    for (const { value, route } of this.#kept) inner.receive(value, route);
    this.#kept.length = 0;
  }

  /** Answers only requests that are clearly valid; the server handles all others. */
  #answer(message: JSONRPCRequest, route: Route): boolean {
    try {
      const result = this.#introduce(message, route) ?? this.#describe(message);
      if (result) route.channel.send({ jsonrpc: "2.0", id: message.id, result });
      return result !== undefined;
    } catch {
      return false;
    }
  }

  #introduce(message: JSONRPCRequest, route: Route): Params | undefined {
    const { method, params = {} } = message;
    if (method !== "initialize" || this.#legacy || readModernMeta(params)) return undefined;
    const { result, dialect, client } = initialize(params, this.#outline);
    this.#legacy = { dialect, client };
    // The server has to process it too, but its answer would be a second one.
    this.#kept.push({ value: message, route: { unprompted: route.channel, ...route, channel: NOWHERE } });
    if (this.#outline.tools) this.#pause = setTimeout(() => this.#loadNow(), PAUSE_MS);
    else this.#loadNow();
    return result;
  }

  #describe({ method, params = {} }: JSONRPCRequest): Params | undefined {
    const meta = readModernMeta(params);
    const speaker = meta ? parseModernEnvelope(meta) : this.#legacy;
    const { tools } = this.#outline;
    if (!speaker?.dialect.hasMethod(method) || hasMore(params, meta)) return undefined;
    const { dialect, client } = speaker;
    const encode = (result: Params): Params => dialect.encodeResult(method, result, this.#outline.info);
    if (method === "server/discover") {
      this.#pause ??= setTimeout(() => this.#loadNow(), PAUSE_MS);
      const known = { supportedVersions: SUPPORTED_VERSIONS, caching: DEFAULT_CACHING };
      return encode(toDiscovery({ ...this.#outline, ...known }, dialect));
    }
    if (method !== "tools/list" || !tools) return undefined;
    const result = encode({ tools: tools(client.capabilities), ...DEFAULT_CACHING.lists });
    this.#loadNow();
    return result;
  }
}

/** Whether a request has a cursor, a progress token and the like: rare, and left to the server. */
const hasMore = ({ cursor, _meta }: Params, modern: Params | undefined): boolean =>
  cursor !== undefined || (modern ?? _meta) !== modern || modern?.["progressToken"] !== undefined;

const NOWHERE = { send: (): void => undefined };
