import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Catalog } from "../features/catalog.ts";
import type { Notify } from "../features/context.ts";
import type { SubscriptionHub } from "../features/subscription-hub.ts";
import type { Caching } from "../model/caching.ts";
import type { Implementation } from "../model/entities.ts";
import type { TokenBuckets } from "../timing/token-bucket.ts";
import type { Changes } from "./changes.ts";
import type { RequestStateSeal } from "./request-state.ts";
import type { Tasks } from "./tasks.ts";

/** What every connection of one server shares. */
export interface ServerRuntime {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
  readonly hub: SubscriptionHub;
  readonly tasks: Tasks;
  readonly changes: Changes;
  /** Begins the ids of questions to clients, if the answers may arrive at another process. */
  readonly questionPrefix: string | undefined;
  readonly notify: Notify;
  readonly state: unknown;
  readonly caching: Caching;
  /** Newest first. */
  readonly supportedVersions: readonly string[];
  readonly seal: RequestStateSeal;
  /** How many completions each caller may still ask for. */
  readonly completions: TokenBuckets;
  readonly limits: ConnectionLimits;
  /** Takes secrets out of what is logged to a client. */
  readonly redact: (data: unknown) => unknown;
  /** Receives failures that the client is not told about. */
  readonly report: (thrown: unknown) => void;
}

export interface ConnectionLimits {
  readonly requestsInFlight: number;
  readonly subscriptions: number;
  readonly batch: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  requestsInFlight: 10_000,
  subscriptions: 10_000,
  batch: 1000,
};
