import { invalidParams, methodNotFound } from "../jsonrpc/error.ts";
import type { Result } from "../dispatch/call.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";
import { readUri } from "../features/resources.ts";
import { isLoggingLevel } from "../model/logging.ts";
import { toDiscovery } from "./discovery.ts";
import type { Exchange } from "./exchange.ts";
import type { Host } from "./host.ts";
import type { LegacySession } from "./legacy-session.ts";
import { ListenStream } from "./listening.ts";
import { cancelTask, getTask, updateTask } from "./task-methods.ts";

/** What the session's own methods may touch of it. */
export interface SessionState {
  readonly host: Host;
  readonly legacy: LegacySession | undefined;
  readonly streams: Set<ListenStream>;
}

type OwnMethod = (session: SessionState, exchange: Exchange) => MaybePromise<Result>;

/** What the session answers itself, because it is about the connection and not about a feature. */
export const OWN_METHODS: { readonly [method: string]: OwnMethod } = {
  ping: () => ({}),
  "server/discover": discover,
  "logging/setLevel": setLevel,
  "resources/subscribe"(session, { request }) {
    legacyWithSubscriptions(session).subscribe(readUri(request.params), session.host);
    return {};
  },
  "resources/unsubscribe"(session, { request }) {
    legacyWithSubscriptions(session).unsubscribe(readUri(request.params), session.host.watching);
    return {};
  },
  "subscriptions/listen": listen,
  "tasks/get": ({ host }, { request }) => getTask(host, request),
  "tasks/update": ({ host }, { request }) => updateTask(host, request),
  "tasks/cancel": ({ host }, { request }) => cancelTask(host, request),
};

function discover({ host }: SessionState, { request }: Exchange): Result {
  return toDiscovery({ ...host, capabilities: host.catalog.capabilities() }, request.dialect);
}

function setLevel({ legacy }: SessionState, { request }: Exchange): Result {
  const { level } = request.params;
  if (!isLoggingLevel(level)) throw invalidParams("level must be one of the eight log levels");
  if (legacy) legacy.logLevel = level;
  return {};
}

function listen({ host, streams }: SessionState, exchange: Exchange): Promise<Result> {
  const stream = new ListenStream(exchange, host);
  stream.open();
  streams.add(stream);
  const drop = (): void => {
    if (streams.delete(stream)) stream.drop();
  };
  exchange.signal.addEventListener("abort", drop, { once: true });
  return stream.ended.finally(drop);
}

function legacyWithSubscriptions({ legacy, host }: SessionState): LegacySession {
  if (!legacy || !host.catalog.hasSubscriptions()) throw methodNotFound("resources/subscribe");
  return legacy;
}
