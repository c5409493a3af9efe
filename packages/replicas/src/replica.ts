import type {
  CallerLimits,
  CallerUsage,
  ChangeReceiver,
  Changes,
  HttpServable,
  HttpSessions,
  OpenStreams,
  RateLimit,
  ReplicaPort,
  SessionOptions,
  TaskLimits,
  Tasks,
} from "@suite/core/replicas";

import { ChangeLog } from "./change-log.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { ReplicaParts } from "./replica-parts.ts";
import { SharedRateLimit } from "./shared-rate-limit.ts";
import { SharedSessions } from "./shared-sessions.ts";
import { SharedTasks } from "./shared-tasks.ts";
import { SharedUsage } from "./shared-usage.ts";
import type { Store } from "./store.ts";

/** This process as one of those that share a store, for one server. */
export class Replica implements ReplicaPort {
  readonly store: Store;
  readonly heartbeat: Heartbeat;
  readonly #changes: ChangeLog;

  constructor(store: Store) {
    this.store = store;
    this.heartbeat = new Heartbeat(store);
    this.#changes = new ChangeLog(store);
  }

  get id(): string {
    return this.heartbeat.id;
  }

  createChanges(server: ChangeReceiver): Changes {
    this.#changes.start(server);
    return this.#changes;
  }

  createTasks(limits: TaskLimits): Tasks {
    return new SharedTasks(limits, this.#parts);
  }

  createUsage(limits: CallerLimits): CallerUsage {
    return new SharedUsage(this.#parts, limits);
  }

  createRateLimit(perMinute: number): RateLimit {
    return new SharedRateLimit(perMinute, this.store);
  }

  createSessions(
    server: HttpServable,
    open: OpenStreams,
    usage: CallerUsage,
    options: SessionOptions,
  ): HttpSessions {
    return new SharedSessions(server, open, usage, options, this.#parts);
  }

  async close(): Promise<void> {
    this.#changes.close();
    await this.heartbeat.close();
    await this.store.close();
  }

  get #parts(): ReplicaParts {
    return { store: this.store, heartbeat: this.heartbeat, changes: this.#changes };
  }
}
