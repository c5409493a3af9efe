import { invalidParams, invalidRequest, methodNotFound } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { Call, Result } from "../dispatch/call.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";
import { readUri } from "../features/resources.ts";
import { isLoggingLevel } from "../model/logging.ts";
import { toDiscovery } from "./discovery.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { LegacySession, SessionChange } from "./legacy-session.ts";
import { ListenStream } from "./listening.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { cancelTask, getTask, updateTask } from "./task-methods.ts";

/** The part of a connection that its own methods use. */
export interface ConnectionState {
  readonly runtime: ServerRuntime;
  readonly legacy: LegacySession | undefined;
  readonly streams: Set<ListenStream>;
  readonly isClosed: boolean;
}

/** `call` is the request as the middleware passed it on. */
type ConnectionMethod = (
  connection: ConnectionState,
  active: ActiveRequest,
  call: Call,
) => MaybePromise<Result>;

/** In characters: a subscribed URI is kept as long as the session. */
const MOST_OF_URI = 8192;

/** Methods that the connection answers itself, because they concern the connection and not a feature. */
export const CONNECTION_METHODS: { readonly [method: string]: ConnectionMethod } = {
  ping: () => ({}),
  "server/discover": ({ runtime }, { request }) =>
    toDiscovery({ ...runtime, capabilities: runtime.catalog.capabilities() }, request.dialect),
  "logging/setLevel"(connection, _active, { params: { level } }) {
    if (!isLoggingLevel(level)) throw invalidParams("level must be one of the eight log levels");
    if (connection.legacy) connection.legacy.logLevel = level;
    return kept(connection, { logLevel: level });
  },
  "resources/subscribe"(connection, { stop }, { method, params }) {
    // The request may have been cancelled while the middleware ran.
    stop.throwIfAborted();
    const uri = readSubscribed(params);
    subscriptionsOf(connection, method).add(uri);
    return kept(connection, { subscribe: uri });
  },
  "resources/unsubscribe"(connection, _active, { method, params }) {
    const uri = readSubscribed(params);
    subscriptionsOf(connection, method).remove(uri);
    return kept(connection, { unsubscribe: uri });
  },
  "subscriptions/listen": listen,
  "tasks/get": ({ runtime }, { request }) => getTask(runtime, request),
  "tasks/update": ({ runtime }, { request }) => updateTask(runtime, request),
  "tasks/cancel": ({ runtime }, { request }) => cancelTask(runtime, request),
};

function readSubscribed(params: Params): string {
  const uri = readUri(params);
  if (uri.length > MOST_OF_URI) throw invalidParams(`uri must have at most ${MOST_OF_URI} characters`);
  return uri;
}

/** An empty result, once every replica that may continue the session knows of the change. */
function kept({ legacy }: ConnectionState, change: SessionChange): MaybePromise<Result> {
  return legacy?.keep?.(change).then(() => ({})) ?? {};
}

function listen(connection: ConnectionState, active: ActiveRequest, call: Call): Promise<Result> {
  const { runtime } = connection;
  // The request may have been cancelled while the middleware ran.
  active.signal.throwIfAborted();
  const stream = new ListenStream(active, call.params, runtime);
  // Once the subscription is acknowledged, the client must not miss anything.
  const waiting = [runtime.journal.begun(), stream.findTasks()].filter((one) => one instanceof Promise);
  return waiting.length > 0
    ? Promise.all(waiting).then(() => begin(stream, connection, active, call))
    : begin(stream, connection, active, call);
}

function begin(
  stream: ListenStream,
  { streams, isClosed }: ConnectionState,
  active: ActiveRequest,
  call: Call,
): Promise<Result> {
  active.stop.throwIfAborted();
  // Closing a connection ends its listen streams, but this one is not among them yet.
  if (isClosed) throw invalidRequest("The connection is closed");
  const notifications = stream.open();
  call.onListening?.(notifications);
  streams.add(stream);
  const drop = (): void => {
    if (streams.delete(stream)) stream.drop();
  };
  active.signal.addEventListener("abort", drop, { once: true });
  return stream.ended.finally(drop);
}

function subscriptionsOf({ legacy, runtime }: ConnectionState, method: string): Subscriptions {
  if (!legacy || !runtime.catalog.hasSubscriptions()) throw methodNotFound(method);
  return legacy.subscriptions;
}
