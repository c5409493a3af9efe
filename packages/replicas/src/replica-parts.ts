import type { ChangeLog } from "./change-log.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Store } from "./store.ts";

/** What the parts of a replica have in common. */
export interface ReplicaParts {
  readonly store: Store;
  readonly heartbeat: Heartbeat;
  readonly changes: ChangeLog;
}
