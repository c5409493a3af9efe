import { classify, type MessageReceiver } from "../jsonrpc/classify.ts";
import {
  invalidParams,
  invalidRequest,
  methodNotFound,
  toErrorObject,
  type ProtocolError,
} from "../jsonrpc/error.ts";
import {
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type Params,
  type RequestId,
} from "../jsonrpc/message.ts";
import type { ServerRuntime } from "../connection/server-runtime.ts";
import { LegacySession } from "../connection/legacy-session.ts";
import type { ReplyChannel, Route } from "../connection/reply-channel.ts";
import { Connection } from "../connection/connection.ts";
import type { ClientView } from "../model/capabilities.ts";
import { BatchReplyChannel } from "./batch.ts";
import { initialize } from "./initialize.ts";
import { parseModernEnvelope, readModernMeta } from "./modern-request.ts";
import { dialectOf, SUPPORTED_VERSIONS } from "./revisions.ts";

const NO_PARAMS: Params = {};

/**
 * The server's end of one connection. Takes parsed JSON, finds out which of the five revisions each message speaks, and
 * hands neutral requests to the connection, which both eras may share: each request decides for itself.
 */
export class Endpoint implements MessageReceiver<Route> {
  readonly connection: Connection;
  readonly #runtime: ServerRuntime;

  constructor(runtime: ServerRuntime) {
    this.#runtime = runtime;
    this.connection = new Connection(runtime);
  }

  receive(value: unknown, route: Route): void {
    if (Array.isArray(value)) this.#receiveBatch(value, route);
    else classify(value, this, route);
  }

  request(message: JSONRPCRequest, route: Route): void {
    try {
      this.#decideRevision(message, route);
    } catch (thrown) {
      this.#sendError(thrown, message.id, route);
    }
  }

  notification({ method, params = NO_PARAMS }: JSONRPCNotification, route: Route): void {
    NOTIFICATIONS.get(method)?.(this.connection, params, route);
  }

  response(message: JSONRPCResponse): void {
    this.connection.pending.receiveResponse(message);
  }

  malformed(error: ProtocolError, id: RequestId | undefined, route: Route): void {
    this.#sendError(error, id, route);
  }

  #decideRevision(message: JSONRPCRequest, route: Route): void {
    const { id, method, params = NO_PARAMS } = message;
    const meta = readModernMeta(params);
    const { legacy } = this.connection;
    if (meta) {
      // Modern revisions have no batches, and over HTTP the headers must describe this one request.
      if (route.channel instanceof BatchReplyChannel)
        throw invalidRequest("A modern request cannot be part of a batch");
      const envelope = parseModernEnvelope(meta);
      if (!envelope.dialect.hasMethod(method)) throw methodNotFound(method);
      this.connection.handle({ id, method, params, route, ...envelope });
    } else if (method === "initialize") {
      this.#initialize(id, params, route);
    } else if (legacy) {
      const { dialect, client } = legacy;
      if (!dialect.hasMethod(method)) throw methodNotFound(method);
      this.connection.handle({ id, method, params, route, dialect, client, logLevel: undefined });
    } else if (method === "ping") {
      route.channel.send({ jsonrpc: "2.0", id, result: {} });
    } else {
      throw notOpened();
    }
  }

  #initialize(id: RequestId, params: Params, route: Route): void {
    if (route.channel instanceof BatchReplyChannel)
      throw invalidRequest("initialize cannot be part of a batch");
    if (this.connection.legacy) throw invalidRequest("This connection is already initialized");
    const { info, instructions, catalog } = this.#runtime;
    const introduction = { info, instructions, capabilities: catalog.capabilities() };
    const { dialect, client, result } = initialize(params, introduction);
    const unprompted = route.unprompted ?? route.channel;
    this.connection.legacy = new LegacySession(dialect, client, unprompted, this.connection);
    route.channel.send({ jsonrpc: "2.0", id, result });
  }

  /** Continues a session that another process opened. Undefined if this one does not support its revision. */
  restore(client: ClientView, channel: ReplyChannel): LegacySession | undefined {
    const dialect = dialectOf(client.revision);
    if (dialect?.era !== "legacy") return undefined;
    const legacy = new LegacySession(dialect, client, channel, this.connection);
    // The client has already sent more than `initialize`, or the session would not be restored.
    legacy.markReady();
    return (this.connection.legacy = legacy);
  }

  #receiveBatch(values: readonly unknown[], route: Route): void {
    const most = this.#runtime.limits.batch;
    const refusal = !this.connection.legacy?.dialect.hasBatches
      ? "Batches are not part of this protocol revision"
      : values.length === 0
        ? "A batch must not be empty"
        : values.length > most
          ? `A batch may have at most ${most} messages`
          : undefined;
    if (refusal !== undefined) return this.#sendError(invalidRequest(refusal), undefined, route);
    const channel = new BatchReplyChannel(route.channel, values.filter(isAnswered).length);
    for (const value of values) classify(value, this, { ...route, channel });
  }

  #sendError(thrown: unknown, id: RequestId | undefined, route: Route): void {
    const error = toErrorObject(thrown, this.#runtime.report);
    const encoded = this.connection.legacy?.dialect.encodeError(error) ?? error;
    route.channel.send({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: encoded });
  }
}

/** Whether an element of a batch gets an answer: requests do, and so does what is not a message at all. */
function isAnswered(value: unknown): boolean {
  let answered = false;
  const yes = (): void => void (answered = true);
  const no = (): void => undefined;
  classify(value, { request: yes, malformed: yes, notification: no, response: no }, undefined);
  return answered;
}

type Handle = (connection: Connection, params: Params, route: Route) => void;

/** A map, since a client may name its notification `__proto__`. */
const NOTIFICATIONS: ReadonlyMap<string, Handle> = new Map<string, Handle>([
  ["notifications/cancelled", (connection, { requestId, reason }) => connection.cancel(requestId, reason)],
  ["notifications/initialized", (connection) => connection.legacy?.markReady()],
  ["notifications/roots/list_changed", (connection, _params, route) => connection.rootsChanged(route)],
  ["notifications/progress", (connection, params) => connection.pending.progress(params)],
]);

/**
 * Neither era was opened. -32602 is what the modern revision demands for a request without its `_meta`, and the legacy ones
 * leave the code open.
 */
const notOpened = (): ProtocolError =>
  invalidParams("Send initialize first, or name the protocol version in _meta of each request (2026-07-28)", {
    supported: SUPPORTED_VERSIONS,
  });
