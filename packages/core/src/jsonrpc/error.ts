import type { ErrorObject } from "./message.ts";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** 2025-11-25 and earlier; the modern revision sends INVALID_PARAMS instead. */
export const RESOURCE_NOT_FOUND = -32002;
/** Only in 2025-11-25. */
export const URL_ELICITATION_REQUIRED = -32042;
export const HEADER_MISMATCH = -32020;
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** An error that travels as a JSON-RPC error response, in either direction. */
export class ProtocolError extends Error {
  static readonly kind: string = "ProtocolError";
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }

  /** Compares kinds, because a program and its add-on may each have a copy of these classes. */
  static override [Symbol.hasInstance](thrown: unknown): boolean {
    if (!Object.hasOwn(this, "kind")) return Function.prototype[Symbol.hasInstance].call(this, thrown);
    let at: unknown = thrown instanceof Error ? thrown.constructor : undefined;
    while (typeof at === "function" && !(Object.hasOwn(at, "kind") && "kind" in at && at.kind === this.kind))
      at = Object.getPrototypeOf(at);
    return typeof at === "function";
  }
}

/** What the replicas of a server share cannot be reached right now. Whether the operation was carried out is unknown. */
export class StoreUnavailable extends ProtocolError {
  static override readonly kind: string = "StoreUnavailable";

  constructor(cause?: unknown) {
    const message =
      "The store that this server's replicas share cannot be reached right now: try again in a second";
    super(INTERNAL_ERROR, message, undefined, { cause });
  }
}

export const parseError = (message: string): ProtocolError => new ProtocolError(PARSE_ERROR, message);

export const invalidRequest = (message: string, data?: unknown): ProtocolError =>
  new ProtocolError(INVALID_REQUEST, message, data);

export const methodNotFound = (method: string): ProtocolError =>
  new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${shorten(method)}`);

export const invalidParams = (message: string, data?: unknown): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, message, data);

/** The answer to work that was ended before it had an outcome. */
export const outcomeUnknown = (reason: Error): ProtocolError =>
  new ProtocolError(INTERNAL_ERROR, `${reason.message}: how far the work got is unknown`);

export const resourceNotFound = (uri: string): ProtocolError =>
  new ProtocolError(RESOURCE_NOT_FOUND, `Resource not found: ${shorten(uri)}`, { uri });

const MOST_REPEATED = 200;

/**
 * A hostile peer may choose these strings: an error message repeats only their beginning, and stays on one line
 * (schema#error).
 */
export const shorten = (text: string): string =>
  (text.length <= MOST_REPEATED ? text : `${text.slice(0, MOST_REPEATED)}…`).replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    " ",
  );

/**
 * Turns anything thrown into an error on the wire. Only the message of a ProtocolError is sent: others may contain paths or
 * secrets, so they go to `report` only.
 */
export function toErrorObject(thrown: unknown, report?: (thrown: unknown) => void): ErrorObject {
  if (thrown instanceof ProtocolError) {
    const { code, message, data } = thrown;
    return data === undefined ? { code, message } : { code, message, data };
  }
  report?.(thrown);
  return { code: INTERNAL_ERROR, message: "Internal error" };
}
