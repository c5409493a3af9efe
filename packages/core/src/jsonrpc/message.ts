/** The JSON-RPC 2.0 messages of MCP, under the names the specification's schema gives them. */
export type RequestId = string | number;

/** MCP passes parameters by name only. */
export type Params = { readonly [name: string]: unknown };

export interface JSONRPCRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
}

export interface JSONRPCNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}

export interface JSONRPCResultResponse {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: Params;
}

/** The `error` of a response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** `id` is left out when the request's own could not be read: the schemas do not allow null. */
export interface JSONRPCErrorResponse {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId;
  readonly error: ErrorObject;
}

export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

export const isObject = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a message that this side made is an answer. What arrives from outside goes through `classify`. */
export const isResponse = (message: JSONRPCMessage | readonly JSONRPCMessage[]): message is JSONRPCResponse =>
  "result" in message || "error" in message;

/** Integers only: a fractional id cannot be matched reliably after a round trip through another language. */
export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === "string" || Number.isSafeInteger(value);
