/** Exit codes, after sysexits(3), so that a host or a script can react to the kind of failure. */
export const EXIT_CODES = {
  clean: 0,
  usage: 64,
  unavailable: 69,
  internal: 70,
  configuration: 78,
} as const;

/** Why a program ends with an error; each reason has an exit code. */
export type ExitReason = Exclude<keyof typeof EXIT_CODES, "clean">;

/** What an `ExitError` says besides its message. */
export interface ExitErrorOptions {
  /** What to do about it, as a sentence of its own. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Ends the program with a message on standard error and the code of its reason. `create` of a program may throw it. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly reason: ExitReason;
  readonly hint: string | undefined;

  constructor(reason: ExitReason, message: string, options: ExitErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.hint = options.hint;
  }

  get exitCode(): number {
    return EXIT_CODES[this.reason];
  }
}
