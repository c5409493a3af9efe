/**
 * What a server needs so that several processes can serve the same clients, and what such an add-on is built with.
 * `@suite/replicas` is one. A server without it keeps everything in its own memory.
 */
import type { Change, Changes } from "./connection/changes.ts";
import type { Connection } from "./connection/connection.ts";
import type { TaskLimits, Tasks } from "./connection/tasks.ts";
import type { Catalog } from "./features/catalog.ts";
import type { HttpParts } from "./transport/http/http-parts.ts";

/** This process as one of several. It makes the parts of a server that differ from those of a single process. */
export interface ReplicaPort extends HttpParts {
  /** Unique among the replicas. */
  readonly id: string;
  /** Called once, before the others. */
  createChanges(server: ChangeReceiver): Changes;
  createTasks(limits: TaskLimits): Tasks;
  /** Called when the server is disposed. */
  close(): Promise<void>;
}

/** The server's end of its changes. */
export interface ChangeReceiver {
  /** Passes a change on to all connections. */
  emit(change: Change): void;
  readonly catalog: Catalog;
  connections(): Iterable<Connection>;
  report(thrown: unknown): void;
}

export { calledTool, type ActiveRequest } from "./connection/active-request.ts";
export type { Change, Changes } from "./connection/changes.ts";
export type { Connection } from "./connection/connection.ts";
export type { LegacySession, SessionChange } from "./connection/legacy-session.ts";
export type { ReplyChannel, Route } from "./connection/reply-channel.ts";
export { Shares } from "./connection/shares.ts";
export type { Task } from "./connection/task.ts";
export { Tasks, type TaskLimits, type TaskView } from "./connection/tasks.ts";
export { FairMemory, type RetainedItem } from "./connection/fair-memory.ts";
export { inBackground, isDoneWithin, pause, pauseInBackground } from "./timing/timers.ts";
export { TokenBucket, TokenBuckets, type Rate, type TakenTokens } from "./timing/token-bucket.ts";
export { isObject, isRequestId, isResponse } from "./jsonrpc/message.ts";
export { parseJson } from "./jsonrpc/parse-json.ts";
export { stringify } from "./jsonrpc/stringify.ts";
export { toJson } from "./jsonrpc/to-json.ts";
export type { Endpoint } from "./revision/endpoint.ts";
export type { AdmittedRequest } from "./transport/http/authorization.ts";
export { isMessage, isRequest } from "./transport/http/body-kinds.ts";
export { CallerUsage, type CallerLimits } from "./transport/http/caller-usage.ts";
export { toEvent, toPrimingEvent, toTextEvent } from "./transport/http/event-stream.ts";
export type { Headers, HttpExchange, HttpStream } from "./transport/http/exchange.ts";
export type { HttpServable } from "./transport/http/http-servable.ts";
export type { OpenStreams } from "./transport/http/open-streams.ts";
export {
  PostReplyChannel,
  type Outgoing,
  type PostStream,
  type PostStreams,
} from "./transport/http/post-reply-channel.ts";
export { RateLimit } from "./transport/http/rate-limit.ts";
export { replyWithError, SessionGone, TooManySessions } from "./transport/http/refusals.ts";
export { parseEventId, type EventRetention } from "./transport/http/resumable-stream.ts";
export { HttpSession } from "./transport/http/session.ts";
export { HttpSessions, type SessionOptions } from "./transport/http/sessions.ts";
export { personOf } from "./values/principal.ts";
