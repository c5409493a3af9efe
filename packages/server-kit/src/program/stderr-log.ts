import type { Output } from "./io.ts";
import type { Redact } from "./redact.ts";

const LEVELS = ["debug", "info", "warning", "error", "off"] as const;

export type LogLevel = (typeof LEVELS)[number];

export type StderrLog = { readonly [Level in Exclude<LogLevel, "off">]: (message: string) => void };

interface LogOptions {
  readonly name: string;
  readonly least: LogLevel;
  readonly redact: Redact;
  /** A function, because the stream behind process.stderr is made when first touched, and most runs never do. */
  readonly output: () => Output;
}

export function createStderrLog({ name, least, redact, output }: LogOptions): StderrLog {
  const at =
    (level: LogLevel) =>
    (message: string): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      output().write(`${name}: ${level}: ${String(redact(message))}\n`, () => undefined);
    };
  return { debug: at("debug"), info: at("info"), warning: at("warning"), error: at("error") };
}
