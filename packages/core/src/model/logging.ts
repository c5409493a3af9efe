/** From least to most severe (RFC 5424). */
export const LOGGING_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

export const isLoggingLevel = (value: unknown): value is LoggingLevel =>
  LOGGING_LEVELS.some((level) => level === value);

export const isAtLeast = (level: LoggingLevel, threshold: LoggingLevel): boolean =>
  LOGGING_LEVELS.indexOf(level) >= LOGGING_LEVELS.indexOf(threshold);
