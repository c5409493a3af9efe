import type { ServerRuntime } from "../../connection/server-runtime.ts";
import type { Endpoint } from "../../revision/endpoint.ts";

/** What HTTP needs of a server: its connections, what they share, and a way to report failures. */
export interface HttpServable {
  readonly runtime: Pick<ServerRuntime, "catalog" | "changes" | "tasks" | "report">;
  open(): Endpoint;
  close(endpoint: Endpoint, reason: Error): void;
}
