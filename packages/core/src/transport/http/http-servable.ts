import type { Journal } from "../../connection/journal.ts";
import type { Replica } from "../../connection/replica.ts";
import type { Catalog } from "../../features/catalog.ts";
import type { Endpoint } from "../../revision/endpoint.ts";

/** What HTTP needs of a server: connections to open and close, what it shares with others, and somebody to tell of failures. */
export interface HttpServable {
  readonly runtime: {
    readonly catalog: Catalog;
    readonly replica: Replica;
    readonly journal: Journal;
    readonly report: (thrown: unknown) => void;
  };
  open(): Endpoint;
  close(endpoint: Endpoint, reason: Error): void;
}
