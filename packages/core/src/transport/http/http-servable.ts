import type { ServerRuntime } from "../../connection/server-runtime.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import type { CallerLimits, CallerUsage } from "./caller-usage.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { HttpSessions, SessionOptions } from "./sessions.ts";

/** What HTTP needs of a server: its connections, what they share, and a way to report failures. */
export interface HttpServable {
  readonly runtime: Pick<ServerRuntime, "catalog" | "changes" | "tasks" | "report">;
  /** Undefined for a single process. */
  readonly replica: HttpParts | undefined;
  open(): Endpoint;
  close(endpoint: Endpoint, reason: Error): void;
}

/** The parts of an HTTP server that processes have in common if several serve the same clients. */
export interface HttpParts {
  createUsage(limits: CallerLimits): CallerUsage;
  createRateLimit(perMinute: number): RateLimit;
  createSessions(
    server: HttpServable,
    open: OpenStreams,
    usage: CallerUsage,
    options: SessionOptions,
  ): HttpSessions;
}
