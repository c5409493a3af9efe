import type { Params } from "../jsonrpc/message.ts";
import type { LoggingLevel } from "../model/logging.ts";
import type { ClientHandlers } from "./handlers.ts";

/** For `connect`. */
export interface ConnectOptions extends ClientHandlers {
  readonly name?: string;
  readonly version?: string;
  /** Pins the revision instead of negotiating the newest that both sides support. */
  readonly revision?: string;
  /** For requests without a time-out of their own. */
  readonly timeoutMs?: number;
  /** How long progress may extend the time-out: by default 10 minutes, or `timeoutMs` if that is longer. */
  readonly longestMs?: number;
  /** How long to wait for a sign that the server is modern; legacy ones may never answer. Unused with a pinned revision. */
  readonly probeMs?: number;
  /** Lets servers of 2026-07-28 answer long calls with a task; the client waits for its result (SEP-2663). */
  readonly tasks?: boolean;
  /** Answers lists and resources from memory for as long as servers of 2026-07-28 allow (`ttlMs`), or until they have changed. */
  readonly caching?: boolean;
  /** Receives errors that the callbacks throw. The connection survives them. */
  readonly onError?: (thrown: unknown) => void;
  /** May be called before `connect` resolves, as may `onNotification`. */
  readonly onLog?: (entry: Params) => void;
  /** Called for every notification, including those that have a listener of their own. */
  readonly onNotification?: (method: string, params: Params) => void;
}

/** For one request. It is cancelled, and the server told, when its signal aborts or its time is over. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** From the request, or the last progress on it, to the answer. */
  readonly timeoutMs?: number;
  /** From the request to the answer, progress or not. */
  readonly longestMs?: number;
  readonly onProgress?: (params: Params) => void;
  /** Called with the state of the task that the call has become, whenever it has changed. */
  readonly onTask?: (task: Params) => void;
  /** Modern era: log messages about this request, from this level up. */
  readonly logLevel?: LoggingLevel;
  readonly meta?: Params;
}
