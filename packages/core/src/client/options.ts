import type { Params } from "../jsonrpc/message.ts";
import type { LoggingLevel } from "../model/logging.ts";
import type { ClientHandlers } from "./handlers.ts";

export interface ConnectOptions extends ClientHandlers {
  readonly name?: string;
  readonly version?: string;
  /** Pins the revision instead of finding out the newest that both sides speak. */
  readonly revision?: string;
  /** For requests that set no time of their own. */
  readonly timeoutMs?: number;
  /** How long progress may put off the time-out: 10 minutes, or `timeoutMs` where that is longer. */
  readonly longestMs?: number;
  /** How long to wait for a sign that the server is a modern one; old ones may never answer. Not with a pinned revision. */
  readonly probeMs?: number;
  /** Told what the callbacks throw. The connection survives it. */
  readonly onError?: (thrown: unknown) => void;
  /** May be called before `connect` resolves, as may `onNotification`. */
  readonly onLog?: (entry: Params) => void;
  /** Every notification, those with a listener of their own too. */
  readonly onNotification?: (method: string, params: Params) => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** From the request, or the last progress on it, to the answer. */
  readonly timeoutMs?: number;
  /** From the request to the answer, progress or not. */
  readonly longestMs?: number;
  readonly onProgress?: (params: Params) => void;
  /** Modern era: log messages about this request, from this level up. */
  readonly logLevel?: LoggingLevel;
  readonly meta?: Params;
}
