import { classify, type MessageReceiver } from "../jsonrpc/classify.ts";
import { INTERNAL_ERROR, toErrorObject } from "../jsonrpc/error.ts";
import {
  isObject,
  isRequestId,
  type JSONRPCRequest,
  type Params,
  type RequestId,
} from "../jsonrpc/message.ts";
import { PendingRequests, type PendingOptions } from "../jsonrpc/pending.ts";
import type { Transport } from "../transport/transport.ts";
import { answer, type ClientHandlers } from "./handlers.ts";

/** The return value is ignored, unless it is a promise that rejects. */
export type NotificationListener = (method: string, params: Params) => unknown;

/** The client's end of the line: sends requests, answers the server's, passes notifications on. */
export class Peer {
  readonly closed: Promise<void>;
  /** Called when the server had lost the session and a new one was opened. */
  onRenewed: () => void = () => undefined;
  readonly #transport: Transport;
  readonly #handlers: ClientHandlers;
  readonly #listener: NotificationListener;
  readonly #pending = new PendingRequests();
  readonly #answering = new Map<RequestId, AbortController>();
  readonly #ending = new AbortController();
  #resolveClosed: () => void = () => undefined;

  constructor(transport: Transport, handlers: ClientHandlers, listener: NotificationListener) {
    this.#transport = transport;
    this.#handlers = handlers;
    this.#listener = listener;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
      transport.start({
        message: (value) => this.#receive(value),
        // A client can do nothing about output that is not part of the protocol.
        unreadable: () => undefined,
        closed: (reason) => this.#end(reason),
        held: (id, isHeld) => this.#pending.hold(id, isHeld),
        failed: (id, reason) => this.#pending.fail(id, reason),
        renewed: () => this.onRenewed(),
      });
    });
  }

  /** Aborted when the connection is closed, with the reason. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  async request(
    method: string,
    toParams: (id: RequestId) => Params,
    options: PendingOptions,
  ): Promise<Params> {
    this.ended.throwIfAborted();
    return this.#pending.send(this.#transport, method, toParams, options);
  }

  /** For a request that the server has ended without an answer. */
  finish(id: RequestId): void {
    this.#pending.receiveResponse({ jsonrpc: "2.0", id, result: {} });
  }

  notify(method: string): void {
    this.#transport.send({ jsonrpc: "2.0", method });
  }

  async close(): Promise<void> {
    this.#end();
    await this.#transport.close();
  }

  #receive(value: unknown): void {
    // A server of 2025-03-26 may answer in batches.
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const message of messages) classify(message, this.#receiver, message);
  }

  readonly #receiver: MessageReceiver<unknown> = {
    request: (message) => void this.#answer(message),
    response: (message) => this.#pending.receiveResponse(message),
    notification: ({ method, params = {} }) => {
      if (method === "notifications/progress") this.#pending.progress(params);
      if (method === "notifications/cancelled" && isRequestId(params["requestId"]))
        this.#answering.get(params["requestId"])?.abort();
      this.#listener(method, params);
    },
    malformed: (_error, _id, message) => {
      // Without these it may be a line of a log. A broken answer still ends its request: no other will follow.
      if (!isObject(message) || message["jsonrpc"] !== "2.0" || !isRequestId(message["id"])) return;
      if (message["method"] !== undefined) return;
      const error = { code: INTERNAL_ERROR, message: "The server's answer is not a valid response" };
      this.#pending.receiveResponse({ jsonrpc: "2.0", id: message["id"], error });
    },
  };

  async #answer({ id, method, params = {} }: JSONRPCRequest): Promise<void> {
    if (method === "ping") return this.#transport.send({ jsonrpc: "2.0", id, result: {} });
    const controller = new AbortController();
    this.#answering.set(id, controller);
    try {
      const result = (await answer(this.#handlers, method, params, controller.signal)) as Params;
      if (!controller.signal.aborted) this.#transport.send({ jsonrpc: "2.0", id, result });
    } catch (thrown) {
      if (!controller.signal.aborted)
        this.#transport.send({ jsonrpc: "2.0", id, error: toErrorObject(thrown) });
    } finally {
      this.#answering.delete(id);
    }
  }

  #end(reason?: Error): void {
    if (this.ended.aborted) return;
    const closedBy = connectionClosed(reason);
    this.#ending.abort(closedBy);
    for (const controller of this.#answering.values()) controller.abort();
    this.#pending.close(closedBy);
    this.#resolveClosed();
  }
}

const connectionClosed = (cause: Error | undefined): Error =>
  cause
    ? new Error(`The connection to the server is closed: ${cause.message}`, { cause })
    : new Error("The connection to the server is closed");
