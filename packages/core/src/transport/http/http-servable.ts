import type { Journal } from "../../connection/journal.ts";
import type { Replica } from "../../connection/replica.ts";
import type { Tasks } from "../../connection/tasks.ts";
import type { Catalog } from "../../features/catalog.ts";
import type { Endpoint } from "../../revision/endpoint.ts";

/** What HTTP needs of a server: its connections, what it shares with other replicas, and a way to report failures. */
export interface HttpServable {
  readonly runtime: {
    readonly catalog: Catalog;
    readonly replica: Replica;
    readonly journal: Journal;
    readonly tasks: Tasks;
    readonly report: (thrown: unknown) => void;
  };
  open(): Endpoint;
  close(endpoint: Endpoint, reason: Error): void;
}
