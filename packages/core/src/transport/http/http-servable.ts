import type { ServerRuntime } from "../../connection/server-runtime.ts";
import type { Endpoint } from "../../revision/endpoint.ts";

/** What HTTP needs of a server: its connections, what it shares with other replicas, and a way to report failures. */
export interface HttpServable {
  readonly runtime: Pick<ServerRuntime, "catalog" | "replica" | "journal" | "tasks" | "report">;
  open(): Endpoint;
  close(endpoint: Endpoint, reason: Error): void;
}
