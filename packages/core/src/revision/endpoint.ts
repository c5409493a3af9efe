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
import type { Host } from "../session/host.ts";
import { LegacySession } from "../session/legacy-session.ts";
import type { Route } from "../session/outlet.ts";
import { Session } from "../session/session.ts";
import { BatchOutlet } from "./batch.ts";
import { initialize } from "./initialize.ts";
import { modernMeta, parseModernEnvelope } from "./modern-request.ts";
import { SUPPORTED_VERSIONS } from "./revisions.ts";

const NO_PARAMS: Params = {};

/**
 * The server's end of one connection. Takes parsed JSON, finds out which of the five revisions each message speaks, and
 * hands neutral requests to the session. Both eras may share a connection: each request decides for itself.
 */
export class Endpoint implements MessageReceiver<Route> {
  readonly session: Session;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    this.session = new Session(host);
  }

  receive(value: unknown, route: Route): void {
    if (Array.isArray(value)) this.#receiveBatch(value, route);
    else classify(value, this, route);
  }

  request(message: JSONRPCRequest, route: Route): void {
    try {
      this.#settleRevision(message, route);
    } catch (thrown) {
      this.#sendError(thrown, message.id, route);
    }
  }

  notification({ method, params = NO_PARAMS }: JSONRPCNotification): void {
    NOTIFICATIONS.get(method)?.(this.session, params);
  }

  response(message: JSONRPCResponse): void {
    this.session.settle(message);
  }

  malformed(error: ProtocolError, id: RequestId | undefined, route: Route): void {
    this.#sendError(error, id, route);
  }

  #settleRevision(message: JSONRPCRequest, route: Route): void {
    const { id, method, params = NO_PARAMS } = message;
    const meta = modernMeta(params);
    const { legacy } = this.session;
    if (meta) {
      // Its own revision has no batches, and over HTTP the headers must speak of this very request.
      if (route.outlet instanceof BatchOutlet)
        throw invalidRequest("A modern request cannot be part of a batch");
      const envelope = parseModernEnvelope(meta);
      if (!envelope.dialect.hasMethod(method)) throw methodNotFound(method);
      this.session.handle({ id, method, params, route, ...envelope });
    } else if (method === "initialize") {
      this.#initialize(id, params, route);
    } else if (legacy) {
      const { dialect, client } = legacy;
      if (!dialect.hasMethod(method)) throw methodNotFound(method);
      this.session.handle({ id, method, params, route, dialect, client, logLevel: undefined });
    } else if (method === "ping") {
      route.outlet.send({ jsonrpc: "2.0", id, result: {} });
    } else {
      throw notOpened();
    }
  }

  #initialize(id: RequestId, params: Params, route: Route): void {
    if (route.outlet instanceof BatchOutlet) throw invalidRequest("initialize cannot be part of a batch");
    if (this.session.legacy) throw invalidRequest("This connection is already initialized");
    const { info, instructions, catalog } = this.#host;
    const introduction = { info, instructions, capabilities: catalog.capabilities() };
    const { dialect, client, result } = initialize(params, introduction);
    this.session.legacy = new LegacySession(dialect, client, route.unprompted ?? route.outlet);
    route.outlet.send({ jsonrpc: "2.0", id, result });
  }

  #receiveBatch(values: readonly unknown[], route: Route): void {
    const most = this.#host.limits.batch;
    const refusal = !this.session.legacy?.dialect.hasBatches
      ? "Batches are not part of this protocol revision"
      : values.length === 0
        ? "A batch must not be empty"
        : values.length > most
          ? `A batch may have at most ${most} messages`
          : undefined;
    if (refusal !== undefined) return this.#sendError(invalidRequest(refusal), undefined, route);
    const outlet = new BatchOutlet(route.outlet, values.filter(isAnswered).length);
    for (const value of values) classify(value, this, { ...route, outlet });
  }

  #sendError(thrown: unknown, id: RequestId | undefined, route: Route): void {
    const error = toErrorObject(thrown, this.#host.report);
    const encoded = this.session.legacy?.dialect.encodeError(error) ?? error;
    route.outlet.send({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: encoded });
  }
}

/** Whether an element of a batch gets an answer: requests do, and so does what is no message at all. */
function isAnswered(value: unknown): boolean {
  let answered = false;
  const yes = (): void => void (answered = true);
  const no = (): void => undefined;
  classify(value, { request: yes, malformed: yes, notification: no, response: no }, undefined);
  return answered;
}

type Handle = (session: Session, params: Params) => void;

/** A map, since a client may name its notification `__proto__`. */
const NOTIFICATIONS: ReadonlyMap<string, Handle> = new Map<string, Handle>([
  ["notifications/cancelled", (session, { requestId, reason }) => session.cancel(requestId, reason)],
  ["notifications/initialized", (session) => session.legacy?.markReady()],
  ["notifications/roots/list_changed", (session) => session.legacy?.rootsChanged()],
  ["notifications/progress", (session, params) => session.peerProgress(params)],
]);

/**
 * Neither era was opened. -32602 is what the modern revision demands for a request without its `_meta`, and the legacy ones
 * leave the code open.
 */
const notOpened = (): ProtocolError =>
  invalidParams("Send initialize first, or name the protocol version in _meta of each request (2026-07-28)", {
    supported: SUPPORTED_VERSIONS,
  });
