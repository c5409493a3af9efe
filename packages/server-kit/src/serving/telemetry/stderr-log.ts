import type { OutputStream } from "./io.ts";
import type { Redact } from "./redact.ts";

const LEVELS = ["debug", "info", "warning", "error", "off"] as const;

export type LogLevel = (typeof LEVELS)[number];

export type StderrLog = { readonly [Level in Exclude<LogLevel, "off">]: (message: string) => void };

interface LogOptions {
  readonly name: string;
  readonly least: LogLevel;
  readonly format: "text" | "json";
  readonly redact: Redact;
  /** Trace of the call that is being logged, if known. */
  readonly traceId: () => string | undefined;
  /** A function, because the stream behind process.stderr is made when first touched, and most runs never do. */
  readonly output: () => OutputStream;
}

export function createStderrLog({ name, least, format, redact, traceId, output }: LogOptions): StderrLog {
  const toJson = (level: LogLevel, message: string): string =>
    JSON.stringify({ time: new Date().toISOString(), level, name, message, trace_id: traceId() });
  const at =
    (level: LogLevel) =>
    (message: string): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      const text = String(redact(message));
      const line = format === "text" ? `${name}: ${level}: ${text}` : toJson(level, text);
      output().write(`${line}\n`, () => undefined);
    };
  return { debug: at("debug"), info: at("info"), warning: at("warning"), error: at("error") };
}
