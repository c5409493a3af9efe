import { inBackground } from "../../timing/timers.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import type { ReplyChannel, Route } from "../../connection/reply-channel.ts";
import type { AdmittedRequest } from "./authorization.ts";
import { EVENT_STREAM_HEADERS } from "./event-stream.ts";
import type { Headers, HttpExchange, HttpStream } from "./exchange.ts";
import type { OpenStreams } from "./open-streams.ts";
import { PostReplyChannel, type Outgoing, type PostStream, type PostStreams } from "./post-reply-channel.ts";
import { parseEventId, ResumableStream, type EventRetention } from "./resumable-stream.ts";

/** How long a delivered stream is kept: the client may have lost its connection before the last bytes. */
const KEPT_AFTER_DELIVERY_MS = 30_000;
/** Limits per session for finished streams, kept for clients that still have to fetch the end. */
const MOST_STREAMS = 64;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const STANDALONE = "0";
const NOTHING = (): void => undefined;

/** A legacy session over HTTP (2025-03-26 to 2025-11-25): many requests and streams, one connection to the server. */
export abstract class HttpSession {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly principal: string | undefined;
  /** Whether it exists no longer, although work for it may still go on here. */
  isGone = false;
  protected usedAt: number = Date.now();
  readonly #open: OpenStreams;
  #inUse = 0;

  constructor(id: string, endpoint: Endpoint, principal: string | undefined, open: OpenStreams) {
    this.id = id;
    this.endpoint = endpoint;
    this.principal = principal;
    this.#open = open;
  }

  /** Whether no request is being worked on. */
  get isIdle(): boolean {
    return this.endpoint.connection.isIdle;
  }

  /** A session with a request or a stream open is in use, however quiet it is. */
  isIdleSince(time: number): boolean {
    return this.#inUse === 0 && this.usedAt < time && this.isIdle;
  }

  get primesStreams(): boolean {
    return this.endpoint.connection.legacy?.dialect.primesStreams ?? false;
  }

  /** Handles and answers `initialize`. False if that fails: then there is no session. */
  abstract open(exchange: HttpExchange, initialize: unknown, headers: Headers): MaybePromise<boolean>;
  /** Hands a request to the server. `leave` is called when its work is done, even if the client has disconnected. */
  abstract post(exchange: HttpExchange, value: unknown, headers: Headers, leave: () => void): void;
  /** Receives notifications and responses. */
  abstract take(exchange: HttpExchange, value: unknown, headers: Headers): MaybePromise<void>;
  /** Opens the standalone stream, or resumes the stream of `lastEventId`. False if that event is unknown. */
  abstract get(
    exchange: HttpExchange,
    lastEventId: string | undefined,
    admitted: AdmittedRequest,
  ): MaybePromise<boolean>;
  /** Ends the connections of clients that only listen: they reconnect. */
  abstract disconnectListeners(): void;
  abstract close(): void;

  /** Called from time to time: keeps what other processes know of it from expiring. */
  renew(): void {}

  protected routeWith(unprompted: ReplyChannel): Omit<Route, "channel"> {
    return { unprompted, ...(this.principal !== undefined && { principal: this.principal }) };
  }

  /** Opens an event stream. `closed` hears whether all of it was sent. */
  protected connect(
    exchange: HttpExchange,
    headers: Headers,
    expiresAt: number | undefined,
    closed?: (connection: HttpStream, isComplete: boolean) => void,
  ): HttpStream {
    const connection = exchange.openStream({ ...headers, ...EVENT_STREAM_HEADERS });
    this.#inUse += 1;
    this.#open.add(connection, expiresAt);
    exchange.onClose((isComplete) => {
      this.#inUse -= 1;
      this.#open.delete(connection);
      closed?.(connection, isComplete);
      this.touch();
    });
    return connection;
  }

  protected touch(): void {
    this.usedAt = Date.now();
  }
}

/** A session known to this process only. */
export class LocalSession extends HttpSession implements PostStreams {
  readonly #retention: EventRetention;
  readonly #standalone: ResumableStream;
  readonly #route: Omit<Route, "channel">;
  readonly #streams = new Map<string, ResumableStream>();
  #nextStream = 1;

  constructor(id: string, endpoint: Endpoint, retention: EventRetention, open: OpenStreams) {
    super(id, endpoint, retention.principal, open);
    this.#retention = retention;
    this.#standalone = this.#addStream(STANDALONE);
    this.#route = this.routeWith(this.#standalone);
  }

  open(exchange: HttpExchange, initialize: unknown, headers: Headers): boolean {
    const { connection } = this.endpoint;
    const send = (answer: Outgoing): void => {
      const own = connection.legacy ? { "mcp-session-id": this.id } : {};
      new PostReplyChannel(this, exchange, { ...headers, ...own }, NOTHING).send(answer);
    };
    this.endpoint.receive(initialize, { ...this.#route, channel: { send } });
    return connection.legacy !== undefined;
  }

  post(exchange: HttpExchange, value: unknown, headers: Headers, leave: () => void): void {
    this.touch();
    const channel = new PostReplyChannel(this, exchange, headers, leave);
    this.endpoint.receive(value, { ...this.#route, channel });
  }

  take(exchange: HttpExchange, value: unknown, headers: Headers): void {
    this.touch();
    this.endpoint.receive(value, {
      ...this.#route,
      channel: new PostReplyChannel(this, exchange, headers, NOTHING),
    });
    exchange.reply(202, headers);
  }

  get(
    exchange: HttpExchange,
    lastEventId: string | undefined,
    { headers, caller }: AdmittedRequest,
  ): boolean {
    this.touch();
    const resumed = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    if (lastEventId !== undefined && resumed === undefined) return false;
    const stream = this.#streams.get(resumed?.stream ?? STANDALONE);
    // Nothing can be resumed after an event that was never sent.
    if (!stream?.knows(resumed?.number ?? 0)) return false;
    this.#attach(stream, exchange, headers, resumed?.number, caller?.expiresAt);
    return true;
  }

  openPostStream(exchange: HttpExchange, headers: Headers): PostStream {
    const stream = this.#addStream(String(this.#nextStream++));
    this.#forgetFinished(stream);
    this.#attach(stream, exchange, headers);
    return {
      send: (message) => stream.send(message),
      disconnect: () => stream.disconnect(),
      finish: () => {
        stream.finish();
        this.#forgetFinished(stream);
      },
    };
  }

  #attach(
    stream: ResumableStream,
    exchange: HttpExchange,
    headers: Headers,
    after?: number,
    expiresAt?: number,
  ): void {
    // A lost connection does not cancel the request (2025-11-25 transports#sending-messages-to-the-server).
    const connection = this.connect(exchange, headers, expiresAt, (lost, isComplete) => {
      stream.lose(lost);
      if (isComplete && stream.isFinished && stream.isDelivered) {
        inBackground(setTimeout(() => this.#forget(stream), KEPT_AFTER_DELIVERY_MS));
      }
    });
    stream.attach(connection, after, this.primesStreams);
  }

  disconnectListeners(): void {
    this.#standalone.disconnect();
  }

  close(): void {
    for (const stream of this.#streams.values()) {
      stream.finish();
      this.#forget(stream);
    }
  }

  #addStream(id: string): ResumableStream {
    const stream = new ResumableStream(id, this.#retention);
    this.#streams.set(id, stream);
    return stream;
  }

  #forget(stream: ResumableStream): void {
    this.#streams.delete(stream.id);
    stream.forgetAll();
  }

  /** Oldest first, but never `current`: its client has had no time to fetch it. */
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
}
