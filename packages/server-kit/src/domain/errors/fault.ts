/** All failure codes, and whether the same call may work later. Kept short because agents act on them. */
export const FAULT_CODES = {
  invalid_input: { retryable: false },
  not_found: { retryable: false },
  permission_denied: { retryable: false },
  conflict: { retryable: false },
  precondition_failed: { retryable: false },
  rate_limited: { retryable: true },
  timeout: { retryable: true },
  cancelled: { retryable: true },
  too_large: { retryable: false },
  unsupported: { retryable: false },
  unavailable: { retryable: true },
  internal: { retryable: false },
} as const;

/** What kind of failure it was: programs decide by it, so a code never changes its meaning. */
export type FaultCode = keyof typeof FAULT_CODES;

/** What a `Fault` says besides its code and message. */
export interface FaultOptions {
  /** What to do next, as a sentence of its own. */
  readonly hint?: string | undefined;
  /** Overrides the default of the code. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  /** Machine-readable: the current etag, an exit status, a position. No secrets, no internal paths. */
  readonly details?: { readonly [key: string]: unknown } | undefined;
  readonly cause?: unknown;
}

/** An expected failure: a message for a model that says what happened and to what, and a code for a program. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly hint: string | undefined;
  readonly details: FaultOptions["details"];

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? FAULT_CODES[code].retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.hint = options.hint;
    this.details = options.details;
  }
}
