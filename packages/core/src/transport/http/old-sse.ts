import type { JSONRPCMessage } from "../../jsonrpc/message.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import { EVENT_STREAM_HEADERS, toEvent } from "./event-stream.ts";
import type { Caller } from "./authorization.ts";
import type { Headers, HttpExchange } from "./exchange.ts";
import type { HttpServable } from "./http-servable.ts";
import type { OpenStreams } from "./open-streams.ts";

export const SSE_PATH = "/sse";
export const MESSAGES_PATH = "/messages";

interface OldConnection {
  readonly endpoint: Endpoint;
  readonly principal: string | undefined;
  readonly send: (message: JSONRPCMessage | readonly JSONRPCMessage[]) => void;
}

/**
 * The transport of 2024-11-05 for clients that know no other: a stream for everything the server says, and a second
 * endpoint, named in the stream's first event, for everything the client says.
 */
export class OldSse {
  readonly #server: HttpServable;
  readonly #streams: OpenStreams;
  readonly #connections = new Map<string, OldConnection>();

  constructor(server: HttpServable, streams: OpenStreams) {
    this.#server = server;
    this.#streams = streams;
  }

  open(exchange: HttpExchange, headers: Headers, caller: Caller | undefined): void {
    const id = crypto.randomUUID();
    const endpoint = this.#server.open();
    const stream = exchange.openStream({ ...headers, ...EVENT_STREAM_HEADERS });
    this.#streams.add(stream, caller?.expiresAt);
    this.#streams.busy.add(endpoint);
    const send = (message: JSONRPCMessage | readonly JSONRPCMessage[]): void =>
      void stream.write(toEvent(message));
    this.#connections.set(id, { endpoint, principal: caller?.principal, send });
    exchange.onClose(() => {
      this.#connections.delete(id);
      this.#streams.delete(stream);
      this.#streams.busy.delete(endpoint);
      this.#server.close(endpoint, new Error("The client closed its stream"));
    });
    stream.write(`event: endpoint\ndata: ${MESSAGES_PATH}?session=${id}\n\n`);
  }

  /** False if there is no such connection, or it belongs to another principal. */
  receive(exchange: HttpExchange, value: unknown, headers: Headers, principal: string | undefined): boolean {
    const id = new URLSearchParams(exchange.query).get("session") ?? "";
    const connection = this.#connections.get(id);
    if (!connection || connection.principal !== principal) return false;
    const { endpoint, send } = connection;
    exchange.reply(202, headers);
    endpoint.receive(value, { channel: { send }, ...(principal !== undefined && { principal }) });
    return true;
  }
}
