import type { OutputStream } from "./io.ts";
import type { Redact } from "./redact.ts";

const LEVELS = ["debug", "info", "warning", "error", "off"] as const;

/** How much is written to standard error. */
export type LogLevel = (typeof LEVELS)[number];

export type LogFormat = "text" | "json";

/** The operator's log: one method for each level. */
export type StderrLog = { readonly [Level in Exclude<LogLevel, "off">]: (message: string) => void } & {
  /** Written at every level: with port 0, this is the only way to learn the port. */
  readonly always: (message: string) => void;
};

interface LogOptions {
  readonly name: string;
  readonly least: LogLevel;
  readonly format: LogFormat;
  readonly redact: Redact;
  /** Trace of the call that is being logged, if known. */
  readonly traceId: () => string | undefined;
  /** A function, because the stream behind process.stderr is made when first touched, and most runs never do. */
  readonly output: () => OutputStream;
}

export function createStderrLog({ name, least, format, redact, traceId, output }: LogOptions): StderrLog {
  const write = (level: LogLevel, message: string, label = `${level}: `): void => {
    const text = String(redact(message));
    const line =
      format === "text"
        ? `${name}: ${label}${text}\n`
        : toJsonLine(name, level, text, { trace_id: traceId() });
    output().write(line, () => undefined);
  };
  const at =
    (level: LogLevel) =>
    (message: string): void => {
      if (LEVELS.indexOf(level) >= LEVELS.indexOf(least)) write(level, message);
    };
  const always = (message: string): void => write("info", message, "");
  return { debug: at("debug"), info: at("info"), warning: at("warning"), error: at("error"), always };
}

export const toJsonLine = (
  name: string,
  level: LogLevel,
  message: string,
  more: { readonly [name: string]: string | undefined },
): string => `${JSON.stringify({ time: new Date().toISOString(), level, name, message, ...more })}\n`;
