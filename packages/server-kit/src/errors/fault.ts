/** Every way in which a call can fail, and whether the same call may work later. A small list: agents act on it. */
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

export type FaultCode = keyof typeof FAULT_CODES;

export interface FaultOptions {
  /** What to do next, as a sentence of its own. */
  readonly hint?: string;
  /** Only where it differs from what the code says. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  /** For programs: the current etag, an exit status, a position. No secrets, no inner paths. */
  readonly details?: { readonly [key: string]: unknown };
  readonly cause?: unknown;
}

/** A failure that was foreseen: what happened and to what, in words for a model, with a code for a program. */
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
