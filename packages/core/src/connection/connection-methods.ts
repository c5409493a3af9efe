import { invalidParams, invalidRequest, methodNotFound } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import type { Call, Result } from "../dispatch/call.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { readUri } from "../features/resources.ts";
import { requireTasks } from "../features/tasks.ts";
import { isLoggingLevel } from "../model/logging.ts";
import { toDiscovery } from "./discovery.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { LegacySession, SessionChange } from "./legacy-session.ts";
import { ListenStream } from "./listening.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { TaskView } from "./tasks.ts";

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
  "tasks/get": (connection, active) => withTask(connection, active, (task) => task.detail()),
  "tasks/update": (connection, active) =>
    withTask(connection, active, (task) => {
      const { inputResponses } = active.request.params;
      if (!isObject(inputResponses)) throw invalidParams("inputResponses must be an object");
      return orNothing(task.answer(inputResponses));
    }),
  // Cancelling a task that has already ended is not an error: the client could not know.
  "tasks/cancel": (connection, active) =>
    withTask(connection, active, (task) =>
      orNothing(task.cancel(new Error("The client cancelled the task"))),
    ),
};

const orNothing = (done: MaybePromise<void>): MaybePromise<Result> =>
  done instanceof Promise ? done.then(() => ({})) : {};

function withTask(
  { runtime: { catalog, tasks } }: ConnectionState,
  { request: { method, params, client, route } }: ActiveRequest,
  use: (task: TaskView) => MaybePromise<Result>,
): MaybePromise<Result> {
  if (!catalog.hasTasks()) throw methodNotFound(method);
  requireTasks(client);
  const useFound = (task: TaskView | undefined): MaybePromise<Result> => {
    if (task) return use(task);
    throw invalidParams("There is no such task, or it has expired");
  };
  const found = tasks.find(params["taskId"], route.principal);
  return found instanceof Promise ? found.then(useFound) : useFound(found);
}

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
  const waiting = [runtime.changes.ready?.(), stream.findTasks()].filter((one) => one instanceof Promise);
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
