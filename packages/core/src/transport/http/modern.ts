import {
  HEADER_MISMATCH,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  ProtocolError,
  toErrorObject,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../../jsonrpc/error.ts";
import {
  isResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type Params,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { parseModernEnvelope } from "../../revision/modern-request.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import type { ReplyChannel } from "../../connection/reply-channel.ts";
import type { Caller } from "./authorization.ts";
import { EVENT_STREAM_HEADERS, toEvent } from "./event-stream.ts";
import type { Headers, HttpExchange, HttpStream } from "./exchange.ts";
import { checkHeaders } from "./header-checks.ts";
import type { HttpServable } from "./http-servable.ts";
import type { OpenStreams } from "./open-streams.ts";
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
  const open = (): HttpStream => {
    const stream = exchange.openStream({ ...headers, ...EVENT_STREAM_HEADERS });
    streams.add(stream, expiresAt);
    return stream;
  };
  const channel = new ModernReplyChannel(exchange, id, headers, open, (stream) => {
    if (stream) streams.delete(stream);
    streams.done(endpoint);
    server.close(endpoint, COMPLETE);
  });
  streams.started(endpoint);
  exchange.onClose(() => channel.disconnected(endpoint));
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

/** Answers with JSON, or with an event stream if another message precedes the answer. */
class ModernReplyChannel implements ReplyChannel {
  readonly #exchange: HttpExchange;
  readonly #id: RequestId;
  readonly #headers: Headers;
  readonly #openStream: () => HttpStream;
  readonly #finish: (stream: HttpStream | undefined) => void;
  #stream: HttpStream | undefined;
  #isDone = false;

  constructor(
    exchange: HttpExchange,
    id: RequestId,
    headers: Headers,
    openStream: () => HttpStream,
    finish: (stream: HttpStream | undefined) => void,
  ) {
    this.#exchange = exchange;
    this.#id = id;
    this.#headers = headers;
    this.#openStream = openStream;
    this.#finish = finish;
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    if (this.#isDone) return;
    const isAnswer = isResponse(message);
    if (isAnswer && !this.#stream) this.#reply(message);
    else this.#write(message);
    if (isAnswer) this.#end();
  }

  /** A cancelled request gets an event stream that ends without an answer. */
  abandon(): void {
    if (!this.#isDone) this.#stream ??= this.#openStream();
    this.#end();
  }

  /** Closing the stream is how a client cancels (streamable-http#cancellation). */
  disconnected(endpoint: Endpoint): void {
    if (this.#isDone) return;
    endpoint.connection.cancel(this.#id, "The client closed the connection");
    this.#end();
  }

  #reply(response: JSONRPCResponse): void {
    const body = JSON.stringify(response);
    const status = "error" in response ? (STATUS_OF[response.error.code] ?? 200) : 200;
    this.#exchange.reply(status, { ...this.#headers, ...JSON_TYPE }, body);
  }

  #write(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    this.#stream ??= this.#openStream();
    this.#stream.write(toEvent(message));
  }

  #end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#stream?.end();
    this.#finish(this.#stream);
  }
}
