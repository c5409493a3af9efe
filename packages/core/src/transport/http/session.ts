import { inBackground } from "../../features/background-timer.ts";
import { isResponse, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import type { ReplyChannel, Route } from "../../connection/reply-channel.ts";
import type { Admission } from "./authorization.ts";
import { EVENT_STREAM_HEADERS } from "./event-stream.ts";
import type { Headers, HttpExchange, HttpStream } from "./exchange.ts";
import type { OpenStreams } from "./open-streams.ts";
import { JSON_TYPE } from "./refusals.ts";
import { parseEventId, ResumableStream, type Keeping } from "./resumable-stream.ts";

/** A client that lost its connection with the last bytes comes back within this time. */
const KEPT_AFTER_DELIVERY_MS = 30_000;
/** Streams of finished requests are kept for clients that still have to fetch their end, up to this much per session. */
const MOST_STREAMS = 64;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const STANDALONE = "0";
const NOTHING = (): void => undefined;

/** A legacy session over HTTP (2025-03-26 to 2025-11-25): many requests and streams, one connection to the server. */
export class HttpSession {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly principal: string | undefined;
  readonly #open: OpenStreams;
  readonly #keeping: Keeping;
  readonly #standalone: ResumableStream;
  readonly #streams = new Map<string, ResumableStream>();
  #nextStream = 1;
  #inUse = 0;
  #usedAt = Date.now();

  constructor(id: string, endpoint: Endpoint, keeping: Keeping, open: OpenStreams) {
    this.id = id;
    this.endpoint = endpoint;
    this.principal = keeping.principal;
    this.#keeping = keeping;
    this.#open = open;
    this.#standalone = this.#addStream(STANDALONE);
  }

  /** A session with a request or a stream open is in use, however quiet it is. */
  isIdleSince(time: number): boolean {
    return this.#inUse === 0 && this.#usedAt < time && this.endpoint.connection.isIdle;
  }

  /** Begins with `initialize`, which is answered at once. False, and no session, when that fails. */
  open(exchange: HttpExchange, initialize: unknown, headers: Headers): boolean {
    const { connection } = this.endpoint;
    const send = (answer: JSONRPCMessage | readonly JSONRPCMessage[]): void => {
      const own = connection.legacy ? { "mcp-session-id": this.id } : {};
      new PostReplyChannel(this, exchange, { ...headers, ...own }, NOTHING).send(answer);
    };
    this.endpoint.receive(initialize, { ...this.#route, channel: { send } });
    return connection.legacy !== undefined;
  }

  /** Hands a request to the server. It is worked on even if nobody waits for the answer any more. */
  post(exchange: HttpExchange, value: unknown, { headers, place }: Admission): void {
    this.#touch();
    place.outlivesExchange = true;
    const channel = new PostReplyChannel(this, exchange, headers, () => place.leave());
    this.endpoint.receive(value, { ...this.#route, channel });
  }

  /** Takes note of notifications and responses. */
  take(exchange: HttpExchange, value: unknown, headers: Headers): void {
    this.#touch();
    this.endpoint.receive(value, {
      ...this.#route,
      channel: new PostReplyChannel(this, exchange, headers, NOTHING),
    });
    exchange.reply(202, headers);
  }

  get #route(): Omit<Route, "channel"> {
    const principal = this.principal === undefined ? {} : { principal: this.principal };
    return { unprompted: this.#standalone, ...principal };
  }

  /** Opens the stream for what concerns no request, or resumes another one. False when there is none to resume. */
  get(exchange: HttpExchange, lastEventId: string | undefined, { headers, caller }: Admission): boolean {
    this.#touch();
    const resumed = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    if (lastEventId !== undefined && resumed === undefined) return false;
    const stream = this.#streams.get(resumed?.stream ?? STANDALONE);
    // What comes after an event that never was cannot be known, and is not everything.
    if (!stream?.knows(resumed?.number ?? 0)) return false;
    this.connect(stream, exchange, headers, { after: resumed?.number, expiresAt: caller?.expiresAt });
    return true;
  }

  openPostStream(): ResumableStream {
    const stream = this.#addStream(String(this.#nextStream++));
    this.#forgetFinished(stream);
    return stream;
  }

  finishPostStream(stream: ResumableStream): void {
    stream.finish();
    this.#forgetFinished(stream);
  }

  connect(
    stream: ResumableStream,
    exchange: HttpExchange,
    headers: Headers,
    {
      after,
      expiresAt,
    }: { readonly after?: number | undefined; readonly expiresAt?: number | undefined } = {},
  ): void {
    const connection: HttpStream = exchange.openStream({ ...headers, ...EVENT_STREAM_HEADERS });
    this.#inUse += 1;
    this.#open.add(connection, expiresAt);
    // A lost connection is no cancellation here (2025-11-25 transports#sending-messages-to-the-server).
    exchange.onClose((isComplete) => {
      this.#inUse -= 1;
      this.#open.delete(connection);
      stream.lose(connection);
      this.#touch();
      if (isComplete && stream.isFinished && stream.isDelivered) {
        inBackground(setTimeout(() => this.#forget(stream), KEPT_AFTER_DELIVERY_MS));
      }
    });
    stream.attach(connection, after, this.endpoint.connection.legacy?.dialect.primesStreams ?? false);
  }

  close(): void {
    for (const stream of this.#streams.values()) {
      stream.finish();
      this.#forget(stream);
    }
  }

  #addStream(id: string): ResumableStream {
    const stream = new ResumableStream(id, this.#keeping);
    this.#streams.set(id, stream);
    return stream;
  }

  #forget(stream: ResumableStream): void {
    this.#streams.delete(stream.id);
    stream.forgetAll();
  }

  /** Oldest first, and never the one at hand: nobody had the time to fetch that. */
  #forgetFinished(current: ResumableStream): void {
    let characters = 0;
    for (const stream of this.#streams.values()) characters += stream.characters;
    for (const stream of this.#streams.values()) {
      if (this.#streams.size <= MOST_STREAMS && characters <= MOST_CHARACTERS) return;
      if (!stream.isFinished || stream === current) continue;
      characters -= stream.characters;
      this.#forget(stream);
    }
  }

  #touch(): void {
    this.#usedAt = Date.now();
  }
}

/** What was posted was no request, or none that could be read (transports#sending-messages-to-the-server). */
const isAboutNoRequest = (answer: JSONRPCMessage | readonly JSONRPCMessage[]): boolean =>
  "error" in answer && answer.id === undefined;

/** Answers one POST: with JSON if the answer comes first, else with a stream that begins with whatever came first. */
class PostReplyChannel implements ReplyChannel {
  readonly #session: HttpSession;
  readonly #exchange: HttpExchange;
  readonly #headers: Headers;
  readonly #leave: () => void;
  #stream: ResumableStream | undefined;
  #isDone = false;

  constructor(session: HttpSession, exchange: HttpExchange, headers: Headers, leave: () => void) {
    this.#session = session;
    this.#exchange = exchange;
    this.#headers = headers;
    this.#leave = leave;
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    if (this.#isDone) return;
    const isAnswer = Array.isArray(message) || isResponse(message);
    if (isAnswer && !this.#stream) {
      const headers = { ...this.#headers, ...JSON_TYPE };
      this.#exchange.reply(isAboutNoRequest(message) ? 400 : 200, headers, JSON.stringify(message));
    } else this.#streaming().send(message);
    if (isAnswer) this.#finish();
  }

  /** An answer that never comes is a stream that ends without one: nothing else may answer a request. */
  abandon(): void {
    if (!this.#stream && !this.#isDone) {
      this.#exchange.openStream({ ...this.#headers, ...EVENT_STREAM_HEADERS }).end();
    }
    this.#finish();
  }

  /** Only a client that knows where to resume can be let go. */
  detach(): void {
    if (this.#isDone || !this.#session.endpoint.connection.legacy?.dialect.primesStreams) return;
    this.#streaming().letGo();
  }

  #streaming(): ResumableStream {
    if (this.#stream) return this.#stream;
    this.#stream = this.#session.openPostStream();
    this.#session.connect(this.#stream, this.#exchange, this.#headers);
    return this.#stream;
  }

  #finish(): void {
    this.#isDone = true;
    if (this.#stream) this.#session.finishPostStream(this.#stream);
    this.#leave();
  }
}
