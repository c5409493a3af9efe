import type { ReplyChannel } from "../../connection/reply-channel.ts";
import { isResponse, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import { toJson } from "../../jsonrpc/to-json.ts";
import { EVENT_STREAM_HEADERS } from "./event-stream.ts";
import type { Headers, HttpExchange } from "./exchange.ts";
import { JSON_TYPE } from "./refusals.ts";

export type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];

/** A stream that answers a POST. Those of the legacy era can be resumed. */
export interface PostStream {
  send(message: Outgoing): void;
  /** Closes the connection, not the stream. */
  disconnect(): void;
  finish(): void;
}

export interface PostStreams {
  /** Whether a client learns where to resume before the first message. */
  readonly primesStreams: boolean;
  openPostStream(exchange: HttpExchange, headers: Headers): PostStream;
  /** The HTTP status of an answer that is sent as JSON; by default that of the legacy era. */
  readonly statusOf?: (answer: Outgoing) => number;
}

/** 400 if what was posted was not a request, or not a readable one (transports#sending-messages-to-the-server). */
const legacyStatusOf = (answer: Outgoing): number =>
  "error" in answer && answer.id === undefined ? 400 : 200;

/** Answers one POST with JSON, or with an event stream if another message precedes the answer. */
export class PostReplyChannel implements ReplyChannel {
  isDone = false;
  readonly #streams: PostStreams;
  readonly #exchange: HttpExchange;
  readonly #headers: Headers;
  readonly #leave: () => void;
  #stream: PostStream | undefined;

  constructor(streams: PostStreams, exchange: HttpExchange, headers: Headers, leave: () => void) {
    this.#streams = streams;
    this.#exchange = exchange;
    this.#headers = headers;
    this.#leave = leave;
  }

  send(message: Outgoing): void {
    if (this.isDone) return;
    const isAnswer = Array.isArray(message) || isResponse(message);
    if (isAnswer && !this.#stream) {
      const { statusOf = legacyStatusOf } = this.#streams;
      const body = toJson(message);
      this.#exchange.reply(statusOf(message), { ...this.#headers, ...JSON_TYPE }, body);
    } else this.#streaming().send(message);
    if (isAnswer) this.#finish();
  }

  /** A cancelled request gets a stream that ends without an answer: a POST has to be answered somehow. */
  abandon(): void {
    if (this.isDone) return;
    if (!this.#stream) this.#exchange.openStream({ ...this.#headers, ...EVENT_STREAM_HEADERS }).end();
    this.#finish();
  }

  /** Only a client that knows where to resume can be disconnected. */
  detach(): void {
    if (!this.isDone && this.#streams.primesStreams) this.#streaming().disconnect();
  }

  #streaming(): PostStream {
    return (this.#stream ??= this.#streams.openPostStream(this.#exchange, this.#headers));
  }

  #finish(): void {
    this.isDone = true;
    this.#stream?.finish();
    this.#leave();
  }
}
