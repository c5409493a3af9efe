import { INTERNAL_ERROR, invalidRequest, type JSONRPCMessage, ProtocolError } from "@suite/core";
import {
  type AdmittedRequest,
  type Endpoint,
  type FairMemory,
  type Headers,
  type HttpExchange,
  HttpSession,
  type HttpStream,
  isMessage,
  isRequest,
  isRequestId,
  isResponse,
  type LegacySession,
  type OpenStreams,
  type Outgoing,
  parseEventId,
  personOf,
  PostReplyChannel,
  type PostStream,
  type PostStreams,
  replyWithError,
  type ReplyChannel,
  type Route,
  type SessionChange,
  SessionGone,
  stringify,
  toPrimingEvent,
} from "@suite/core/replicas";

import { ChangeStream, STANDALONE } from "./change-stream.ts";
import { ownerOf } from "./heartbeat.ts";
import type { ReplicaParts } from "./replica-parts.ts";
import type { SessionRecord, SessionRecords, ToldPosition } from "./session-records.ts";
import { StoredStreams } from "./stored-streams.ts";

/** What the replicas that hold a session tell each other about it. */
export type SessionMessage =
  | { readonly posted: unknown }
  | { readonly change: SessionChange }
  | { readonly isListening: true }
  /** The client has closed the stream that it opened at this position of the log. */
  | { readonly hasLeft: number };

export interface SharedSessionParts extends ReplicaParts {
  readonly records: SessionRecords;
  readonly memory: FairMemory;
  readonly idleMs: number;
}

/** Notifications that may concern work on another replica. */
const TOLD_TO_OTHERS: ReadonlySet<unknown> = new Set([
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
]);
/** In characters of JSON. All replicas read these messages, and the store keeps them; only answers may need to be large. */
const MOST_NOTICE = 64 * 1024;
const MOST_ANSWER = 4 * 1024 * 1024;
/** How many characters each person may have passed on: a quarter of what the log keeps, and that much again in a minute. */
const PASSED = { burst: 8 * 1024 * 1024, perSecond: (8 * 1024 * 1024) / 60 };

const SILENT = { send: (): void => undefined };
const NOTHING = (): void => undefined;

/**
 * A session that any replica can continue. Each replica that gets a request has its own connection to the server, restored
 * from the stored record. Work stays where it began; messages that concern it elsewhere go through the change log.
 */
export class SharedSession extends HttpSession {
  readonly #parts: SharedSessionParts;
  readonly #standalone: ChangeStream;
  readonly #route: Omit<Route, "channel">;
  readonly #streams: StoredStreams;
  /** Connections that resumed a stream that answers a POST. */
  readonly #resumed = new Set<HttpStream>();
  #unfinished = 0;
  #renewedAt = Date.now();

  constructor(
    id: string,
    endpoint: Endpoint,
    principal: string | undefined,
    parts: SharedSessionParts,
    open: OpenStreams,
  ) {
    super(id, endpoint, principal, open);
    this.#parts = parts;
    this.#standalone = new ChangeStream(parts.changes, endpoint.connection, this.#note);
    this.#route = this.routeWith(this.#standalone);
    this.#streams = new StoredStreams(parts, id, { memory: parts.memory, principal });
  }

  override get isIdle(): boolean {
    return super.isIdle && this.#unfinished === 0;
  }

  async open(exchange: HttpExchange, initialize: unknown, headers: Headers): Promise<boolean> {
    const { changes, records, heartbeat } = this.#parts;
    const answers: Outgoing[] = [];
    const channel: ReplyChannel = { send: (answer) => void answers.push(answer) };
    this.endpoint.receive(initialize, { ...this.#route, channel });
    const { legacy } = this.endpoint.connection;
    if (legacy) {
      const { client, logLevel } = legacy;
      await changes.ready();
      const told = await changes.last();
      const heldBy = [heartbeat.id];
      await records.create(this.id, { principal: this.principal, client, logLevel, heldBy }, told);
      legacy.keep = (change) => this.#keep(change);
    }
    const own = legacy ? { "mcp-session-id": this.id } : {};
    const reply = this.#replyTo(exchange, initialize, { ...headers, ...own }, NOTHING);
    for (const answer of answers) reply.send(answer);
    return legacy !== undefined;
  }

  /** Continues a session that another replica opened. False if this one cannot. */
  restore({ client, logLevel, subscriptions }: SessionRecord): boolean {
    const legacy = this.endpoint.restore(client, this.#standalone);
    if (!legacy) return false;
    const { hub } = this.endpoint.connection.runtime;
    legacy.logLevel = logLevel;
    for (const uri of subscriptions) {
      const wasLookedAt = hub.looksAt(uri);
      apply(legacy, { subscribe: uri });
      // A resource that was not watched here may have changed since its client was last told of it.
      if (!wasLookedAt && hub.looksAt(uri)) this.#parts.changes.announce({ kind: "resource", uri });
    }
    legacy.keep = (change) => this.#keep(change);
    return true;
  }

  post(exchange: HttpExchange, value: unknown, headers: Headers, leave: () => void): void {
    this.touch();
    // A client that sends requests is initialized, though its notification of that may have gone to another replica.
    if (!isRequest(value) || value["method"] !== "ping") this.endpoint.connection.legacy?.markReady();
    const channel = this.#replyTo(exchange, value, headers, leave);
    this.endpoint.receive(value, { ...this.#route, channel });
  }

  async take(exchange: HttpExchange, value: unknown, headers: Headers): Promise<void> {
    this.touch();
    const messages = [value].flat().filter(isMessage) as JSONRPCMessage[];
    const mayConcernOthers = messages.filter((message) => this.#mayConcernOthers(message));
    // Here first: that works even while the store is unavailable.
    const channel = this.#replyTo(exchange, value, headers, NOTHING);
    this.endpoint.receive(value, { ...this.#route, channel });
    for (const message of messages) if (isResponse(message)) this.#answeredHere(message.id);
    const forOthers = await this.#findConcerned(mayConcernOthers);
    const refusal = forOthers.length > 0 ? await this.#pass(forOthers, Array.isArray(value)) : undefined;
    if (refusal)
      return replyWithError(exchange, refusal.status, { ...headers, ...refusal.headers }, refusal.error);
    exchange.reply(202, headers);
  }

  async get(
    exchange: HttpExchange,
    lastEventId: string | undefined,
    { headers, caller }: AdmittedRequest,
  ): Promise<boolean> {
    this.touch();
    this.endpoint.connection.legacy?.markReady();
    const resumed = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    if (lastEventId !== undefined && resumed === undefined) return false;
    const told = this.#orGone(await this.#parts.records.told(this.id));
    const connect = (): HttpStream => this.connect(exchange, headers, caller?.expiresAt);
    if (resumed && resumed.stream !== STANDALONE) return this.#resume(resumed, exchange, connect);
    return this.#listen(told, resumed?.number, exchange, connect);
  }

  /** Handles a message from another replica about this session. */
  on(message: SessionMessage): void {
    const { legacy } = this.endpoint.connection;
    if ("change" in message && legacy) apply(legacy, message.change);
    if ("posted" in message) this.endpoint.receive(message.posted, { ...this.#route, channel: SILENT });
    if ("isListening" in message) this.#standalone.yield(this.#parts.changes.position ?? 0);
    if ("hasLeft" in message) this.#standalone.takeOver(message.hasLeft);
  }

  override renew(): void {
    if (!this.isIdleSince(Number.POSITIVE_INFINITY)) this.touch();
  }

  disconnectListeners(): void {
    this.#standalone.disconnect();
    for (const connection of this.#resumed) connection.end();
  }

  /** Ends it here; other replicas may continue it. */
  close(): void {
    this.#standalone.close();
  }

  #mayConcernOthers(message: JSONRPCMessage): boolean {
    if (isResponse(message))
      return typeof message.id === "string" && ownerOf(message.id) !== this.#parts.heartbeat.id;
    const { method, params } = message;
    const isForHere =
      method === "notifications/cancelled" && this.endpoint.connection.isHandling(params?.["requestId"]);
    return !isForHere && TOLD_TO_OTHERS.has(method);
  }

  /** Leaves out answers, and progress, to what nobody has asked in this session. */
  async #findConcerned(messages: readonly JSONRPCMessage[]): Promise<readonly JSONRPCMessage[]> {
    const questions = new Map(messages.map((message) => [message, questionOf(message)]));
    const named = [...questions.values()].filter((id) => id !== undefined);
    const open = await this.#parts.records.findOpen(this.id, named);
    return messages.filter((message) => {
      const question = questions.get(message);
      return question === undefined || open.has(question);
    });
  }

  /** Returns why the messages cannot be passed on, if so. */
  async #pass(messages: readonly JSONRPCMessage[], isBatch: boolean): Promise<PassRefusal | undefined> {
    const { store, records } = this.#parts;
    const most = messages.some(isResponse) ? MOST_ANSWER : MOST_NOTICE;
    const { length } = stringify(() => messages);
    if (length > most)
      return {
        status: 413,
        headers: {},
        error: invalidRequest(`The message is too large: at most ${most} characters`),
      };
    const bucket = `passed:${personOf(this.principal ?? "")}`;
    const { tokens } = await store.take(bucket, PASSED, length);
    if (tokens < length) {
      await store.take(bucket, PASSED, -tokens);
      const seconds = String(Math.ceil((length - tokens) / PASSED.perSecond));
      const message = `Too much is passed on for this caller: try again in ${seconds} s`;
      return {
        status: 429,
        headers: { "retry-after": seconds },
        error: new ProtocolError(INTERNAL_ERROR, message),
      };
    }
    await this.#publish({ posted: isBatch ? messages : messages[0] });
    await Promise.all(messages.filter(isResponse).map(({ id }) => records.close(this.id, String(id))));
    return undefined;
  }

  /** Notes what the client is asked, and what it need not answer any more. */
  readonly #note = (message: Outgoing): Promise<void> | undefined => {
    if (!("method" in message)) return undefined;
    const { records } = this.#parts;
    if ("id" in message) return records.ask(this.id, String(message.id));
    if (message.method === "notifications/cancelled")
      records.close(this.id, String(message.params?.["requestId"])).catch(NOTHING);
    return undefined;
  };

  /** A question of this replica, if it was one, is not open any more. If that cannot be noted, it expires with the session. */
  #answeredHere(id: unknown): void {
    if (typeof id === "string" && ownerOf(id) === this.#parts.heartbeat.id)
      this.#parts.records.close(this.id, id).catch(NOTHING);
  }

  #replyTo(exchange: HttpExchange, posted: unknown, headers: Headers, leave: () => void): PostReplyChannel {
    const streams: PostStreams = {
      primesStreams: this.primesStreams,
      openPostStream: (own, ownHeaders) => this.#openPostStream(posted, own, ownHeaders),
    };
    return new PostReplyChannel(streams, exchange, headers, leave);
  }

  #openPostStream(posted: unknown, exchange: HttpExchange, headers: Headers): PostStream {
    this.#unfinished += 1;
    const requests = [posted].flat().filter(isRequest);
    const ids = requests.map(({ id }) => id).filter(isRequestId);
    return this.#streams.open(ids, this.connect(exchange, headers, undefined), {
      isPrimed: this.primesStreams,
      onFinished: () => (this.#unfinished -= 1),
      note: this.#note,
    });
  }

  async #resume(
    { stream, number }: { readonly stream: string; readonly number: number },
    exchange: HttpExchange,
    connect: () => HttpStream,
  ): Promise<boolean> {
    if (!(await this.#streams.knows(stream, number))) return false;
    const connection = connect();
    if (this.primesStreams) connection.write(toPrimingEvent(`${stream}.${number}`));
    const stop = this.#streams.follow(stream, number, connection);
    this.#resumed.add(connection);
    exchange.onClose(() => {
      this.#resumed.delete(connection);
      stop();
    });
    return true;
  }

  async #listen(
    told: ToldPosition,
    after: number | undefined,
    exchange: HttpExchange,
    connect: () => HttpStream,
  ): Promise<boolean> {
    // Nothing can be resumed after an event that was never sent.
    if ((after ?? 0) > (await this.#parts.changes.last())) return false;
    const begun = await this.#publish({ isListening: true });
    const from = after ?? Math.max(told, this.#standalone.told);
    const connection = connect();
    exchange.onClose(() => this.#leave(connection));
    if (this.primesStreams) connection.write(toPrimingEvent(`${STANDALONE}.${from}`));
    this.#standalone.attach(connection, from, begun);
    return true;
  }

  /** Notes how far the client was told, for when it opens the stream again without an event id. */
  #leave(connection: HttpStream): void {
    this.#standalone.lose(connection);
    const { told, begun, isOpen } = this.#standalone;
    if (isOpen) return;
    const { records, heartbeat } = this.#parts;
    const note = async (): Promise<void> => {
      await records.noteTold(this.id, told);
      // The client may still have a connection open at a replica where it listened before.
      const record = await records.find(this.id, this.principal);
      if (record?.heldBy.some((holder) => holder !== heartbeat.id)) await this.#publish({ hasLeft: begun });
    };
    note().catch(() => heartbeat.retryLater(note));
  }

  async #keep(change: SessionChange): Promise<void> {
    const isKept = await this.#parts.records.apply(this.id, change);
    this.#orGone(isKept ? true : undefined);
    await this.#publish({ change });
  }

  /** The store may have lost its data: then no replica can continue the session. */
  #orGone<T>(found: T | undefined): T {
    this.isGone = found === undefined;
    if (found !== undefined) return found;
    throw new SessionGone();
  }

  #publish(message: SessionMessage): Promise<number> {
    const { changes, heartbeat } = this.#parts;
    return changes.publish({ kind: "session", id: this.id, from: heartbeat.id, message });
  }

  /** Keeps the record from expiring, without writing it at every use. */
  protected override touch(): void {
    super.touch();
    const { idleMs, records } = this.#parts;
    if (this.usedAt - this.#renewedAt < idleMs / 4) return;
    this.#renewedAt = this.usedAt;
    records.renew(this.id).catch(NOTHING);
  }
}

interface PassRefusal {
  readonly status: number;
  readonly headers: Headers;
  readonly error: ProtocolError;
}

/** The question that an answer, or progress, belongs to. */
function questionOf(message: JSONRPCMessage): string | undefined {
  if (isResponse(message)) return String(message.id);
  return message.method === "notifications/progress" ? String(message.params?.["progressToken"]) : undefined;
}

/** Applies a change that was made on another replica. */
function apply(legacy: LegacySession, change: SessionChange): void {
  if ("logLevel" in change) legacy.logLevel = change.logLevel;
  else if ("unsubscribe" in change) legacy.subscriptions.remove(change.unsubscribe);
  else {
    try {
      legacy.subscriptions.add(change.subscribe);
    } catch {
      // The resource does not exist (any more), at least not here: its changes will not be announced.
    }
  }
}
