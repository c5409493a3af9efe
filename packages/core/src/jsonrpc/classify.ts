import { invalidParams, invalidRequest, type ProtocolError } from "./error.ts";
import {
  isObject,
  isRequestId,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from "./message.ts";

/**
 * Receives the messages of a peer: at most one of these is called for every value that arrives, with its route.
 */
export interface MessageReceiver<Route> {
  request(message: JSONRPCRequest, route: Route): void;
  notification(message: JSONRPCNotification, route: Route): void;
  response(message: JSONRPCResponse, route: Route): void;
  /** Not a JSON-RPC message; `id` is there when it could still be read. */
  malformed(error: ProtocolError, id: RequestId | undefined, route: Route): void;
}

/** Decides what a parsed JSON value is. Batches are the caller's business: only one revision has them. */
export function classify<Route>(value: unknown, receiver: MessageReceiver<Route>, route: Route): void {
  const malformed = (message: string): void =>
    receiver.malformed(invalidRequest(message), readableId(value), route);
  if (!isObject(value) || value["jsonrpc"] !== "2.0")
    return malformed('Expected an object with "jsonrpc": "2.0"');
  const { id, method } = value;
  if (method === undefined) {
    if (isWellFormedResponse(value)) return receiver.response(value, route);
    return malformed("Neither a request, a notification nor a response");
  }
  if (typeof method !== "string") return malformed("method must be a string");
  if (id !== undefined && !isRequestId(id)) return malformed("id must be a string or an integer");
  const { params } = value;
  if (params !== undefined && !isObject(params)) {
    // A notification is never answered, not even when it is wrong.
    if (id !== undefined) receiver.malformed(invalidParams("params must be an object"), id, route);
    return;
  }
  // Checked above, member by member, which narrows the members and not the whole.
  if (id === undefined) receiver.notification(value as unknown as JSONRPCNotification, route);
  else receiver.request(value as unknown as JSONRPCRequest, route);
}

/** Only of what was meant as a request: the id of a broken response is ours, and the peer would take it for its own. */
function readableId(value: unknown): RequestId | undefined {
  if (!isObject(value) || value["method"] === undefined) return undefined;
  return isRequestId(value["id"]) ? value["id"] : undefined;
}

function isWellFormedResponse(value: object): value is JSONRPCResponse {
  const { id, result, error } = value as { readonly [name: string]: unknown };
  if (error === undefined) return isRequestId(id) && isObject(result);
  return (
    // Plain JSON-RPC has null for an unreadable id. If that were malformed, two peers would answer each other forever.
    (id === undefined || id === null || isRequestId(id)) &&
    result === undefined &&
    isObject(error) &&
    Number.isInteger(error["code"]) &&
    typeof error["message"] === "string"
  );
}
