import { LOGGING_LEVELS, type LoggingLevel } from "../model/logging.ts";

/** One log message of the protocol. */
export interface LogEntry {
  readonly level: LoggingLevel;
  readonly data: unknown;
  readonly logger?: string;
}

/** `ctx.log.info("…")`, `ctx.log.error({ … }, "database")`: one method per level of the protocol. */
export type Log = { readonly [Level in LoggingLevel]: (data: unknown, logger?: string) => void };

export function createLog(emit: (entry: LogEntry) => void): Log {
  const log = {} as Record<LoggingLevel, Log[LoggingLevel]>;
  for (const level of LOGGING_LEVELS) {
    log[level] = (data, logger) => emit(logger === undefined ? { level, data } : { level, data, logger });
  }
  return log;
}
