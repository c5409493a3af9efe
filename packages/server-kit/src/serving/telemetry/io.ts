import type { Environment } from "../options/resolve.ts";

export interface OutputStream {
  write(text: string, done: () => void): unknown;
}

export interface ErrorOutput extends OutputStream {
  on(event: "error", listener: () => void): OutputStream;
}

/** The parts of `process` that a program uses. */
export interface ProgramIo {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly platform?: string;
  /** Whether standard input is a terminal, if known. */
  readonly stdin?: { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: ErrorOutput;
  once(event: "SIGINT" | "SIGTERM" | "SIGHUP", listener: () => void): unknown;
  once(event: "uncaughtException", listener: (error: Error) => void): unknown;
  on(event: "warning", listener: (warning: Error) => void): unknown;
  removeAllListeners(event: "warning"): unknown;
  exit(code: number): void;
}

/** What a program prints instead of serving. */
export interface PrintedAnswer {
  readonly text: string;
  /** For the person at the terminal: it goes to standard error, so that the text alone can be put into a file. */
  readonly aside?: string;
  readonly exitCode?: number;
}
