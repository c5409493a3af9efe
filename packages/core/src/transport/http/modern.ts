import {
  HEADER_MISMATCH,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  ProtocolError,
  toErrorObject,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../../jsonrpc/error.ts";
import type { JSONRPCRequest, Params } from "../../jsonrpc/message.ts";
import { parseModernEnvelope } from "../../revision/modern-request.ts";
import type { Caller } from "./authorization.ts";
import { EVENT_STREAM_HEADERS, toEvent } from "./event-stream.ts";
import type { Headers, HttpExchange } from "./exchange.ts";
import { checkHeaders } from "./header-checks.ts";
import type { HttpServable } from "./http-servable.ts";
import type { OpenStreams } from "./open-streams.ts";
import { PostReplyChannel, type Outgoing, type PostStream } from "./post-reply-channel.ts";
import { JSON_TYPE } from "./refusals.ts";

export const LISTEN = "subscriptions/listen";

/** Shared: a stack trace for each request would cost a tenth of a call. */
const COMPLETE = new Error("The request is complete");

const STATUS_OF: { readonly [code: number]: number } = {
  [INVALID_REQUEST]: 400,
  [METHOD_NOT_FOUND]: 404,
  [HEADER_MISMATCH]: 400,
  [MISSING_REQUIRED_CLIENT_CAPABILITY]: 400,
  [UNSUPPORTED_PROTOCOL_VERSION]: 400,
};

const statusOf = (answer: Outgoing): number =>
  "error" in answer ? (STATUS_OF[answer.error.code] ?? 200) : 200;

/** Serves a modern request. There are no sessions, so each request has its own connection, which ends with the answer. */
export function serveModern(
  server: HttpServable,
  exchange: HttpExchange,
  request: JSONRPCRequest,
  meta: Params,
  context: {
    readonly caller: Caller | undefined;
    readonly headers: Headers;
    readonly streams: OpenStreams;
  },
): void {
  const { id } = request;
  const { caller, headers, streams } = context;
  try {
    checkEnvelope(server, exchange, request, meta);
  } catch (thrown) {
    const body = { jsonrpc: "2.0", id, error: toErrorObject(thrown) };
    return exchange.reply(400, { ...headers, ...JSON_TYPE }, JSON.stringify(body));
  }
  const endpoint = server.open();
  // Other requests may finish after the token expires; this one never ends by itself.
  const expiresAt = request.method === LISTEN ? caller?.expiresAt : undefined;
  const openPostStream = (): PostStream => {
    const stream = exchange.openStream({ ...headers, ...EVENT_STREAM_HEADERS });
    streams.add(stream, expiresAt);
    const finish = (): void => {
      stream.end();
      streams.delete(stream);
    };
    return { send: (message) => void stream.write(toEvent(message)), disconnect: finish, finish };
  };
  const leave = (): void => {
    streams.busy.delete(endpoint);
    server.close(endpoint, COMPLETE);
  };
  const answering = { primesStreams: false, openPostStream, statusOf };
  const channel = new PostReplyChannel(answering, exchange, headers, leave);
  streams.busy.add(endpoint);
  // Closing the stream is how a client cancels (streamable-http#cancellation).
  exchange.onClose(() => {
    if (channel.isDone) return;
    endpoint.connection.cancel(id, "The client closed the connection");
    channel.abandon();
  });
  endpoint.receive(request, { channel, ...(caller && { principal: caller.principal }) });
}

/** In the specification's order: malformed, then headers that disagree with the body, then an unsupported version. */
function checkEnvelope(
  server: HttpServable,
  exchange: HttpExchange,
  request: JSONRPCRequest,
  meta: Params,
): void {
  const checkAgainstBody = (): void => checkHeaders(exchange, request, meta, server.runtime.catalog);
  try {
    parseModernEnvelope(meta);
  } catch (thrown) {
    if (thrown instanceof ProtocolError && thrown.code === UNSUPPORTED_PROTOCOL_VERSION) checkAgainstBody();
    throw thrown;
  }
  checkAgainstBody();
}
