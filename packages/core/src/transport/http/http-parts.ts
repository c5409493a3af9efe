import { CallerUsage, type CallerLimits } from "./caller-usage.ts";
import type { HttpServable } from "./http-servable.ts";
import type { OpenStreams } from "./open-streams.ts";
import { RateLimit } from "./rate-limit.ts";
import { HttpSessions, type SessionOptions } from "./sessions.ts";

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

/** Those of a single process. */
export const OWN_PARTS: HttpParts = {
  createUsage: (limits) => new CallerUsage(limits),
  createRateLimit: (perMinute) => new RateLimit(perMinute),
  createSessions: (...parts) => new HttpSessions(...parts),
};
