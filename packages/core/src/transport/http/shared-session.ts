import type { Journal, News } from "../../connection/journal.ts";
import type { SessionChange } from "../../connection/legacy-session.ts";
import { Replica } from "../../connection/replica.ts";
import type { ReplyChannel, Route } from "../../connection/reply-channel.ts";
import { invalidRequest } from "../../jsonrpc/error.ts";
import { isRequestId, isResponse, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import { stringify } from "../../jsonrpc/stringify.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import type { AdmittedRequest } from "./authorization.ts";
import { isMessage, isRequest } from "./body-kinds.ts";
import type { FairMemory } from "../../store/fair-memory.ts";
import { toPrimingEvent } from "./event-stream.ts";
import type { Headers, HttpExchange, HttpStream } from "./exchange.ts";
import { JournalStream, STANDALONE } from "./journal-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import { PostReplyChannel, type Outgoing, type PostStream, type PostStreams } from "./post-reply-channel.ts";
import { replyWithError, SessionGone } from "./refusals.ts";
import { parseEventId } from "./resumable-stream.ts";
import { HttpSession } from "./session.ts";
import { type SessionRecord, type SessionRecords, withChange } from "./session-records.ts";
import { StoredStreams } from "./stored-streams.ts";

/** What the replicas that hold a session tell each other about it. */
export type SessionMessage =
  | { readonly posted: unknown }
  | { readonly change: SessionChange }
  | { readonly isListening: true }
  /** The client has closed the stream that it opened at this position of the journal. */
  | { readonly hasLeft: number };

export interface SharedSessionParts {
  readonly replica: Replica;
  readonly journal: Journal;
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

const SILENT = { send: (): void => undefined };
const NOTHING = (): void => undefined;

/**
 * A session that any replica can continue. Each replica that gets a request has its own connection to the server, restored
 * from the stored record. Work stays where it began; messages that concern it elsewhere go through the journal.
 */
export class SharedSession extends HttpSession {
  readonly #parts: SharedSessionParts;
  readonly #standalone: JournalStream;
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
    this.#standalone = new JournalStream(
      parts.journal,
      (news) => endpoint.connection.hear(news),
      () => endpoint.connection.legacyChanges(),
    );
    this.#route = this.routeWith(this.#standalone);
    this.#streams = new StoredStreams(parts.replica, id, { memory: parts.memory, principal });
  }

  override get isIdle(): boolean {
    return super.isIdle && this.#unfinished === 0;
  }

  async open(exchange: HttpExchange, initialize: unknown, headers: Headers): Promise<boolean> {
    const { journal, records } = this.#parts;
    const answers: Outgoing[] = [];
    const channel: ReplyChannel = { send: (answer) => void answers.push(answer) };
    this.endpoint.receive(initialize, { ...this.#route, channel });
    const { legacy } = this.endpoint.connection;
    if (legacy) {
      const { client, logLevel } = legacy;
      await journal.begun();
      const told = await journal.last();
      const principal = this.principal ?? null;
      const heldBy = [this.#parts.replica.id];
      await records.create(this.id, { principal, client, logLevel, subscriptions: [], told, heldBy });
      legacy.keep = (change) => this.#keep(change);
    }
    const own = legacy ? { "mcp-session-id": this.id } : {};
    const reply = this.#replyTo(exchange, initialize, { ...headers, ...own }, NOTHING);
    for (const answer of answers) reply.send(answer);
    return legacy !== undefined;
  }

  /** Continues a session that another replica opened. False if this one cannot. */
  restore(record: SessionRecord): boolean {
    if (!this.endpoint.restore(record, this.#standalone)) return false;
    const { legacy } = this.endpoint.connection;
    if (legacy) legacy.keep = (change) => this.#keep(change);
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
    const forOthers = messages.filter((message) => this.#concernsOthers(message));
    const most = forOthers.some(isResponse) ? MOST_ANSWER : MOST_NOTICE;
    if (stringify(() => forOthers).length > most) {
      const error = invalidRequest(`The message is too large: at most ${most} characters`);
      return replyWithError(exchange, 413, headers, error);
    }
    // Here first: that works even while the store is unavailable.
    const channel = this.#replyTo(exchange, value, headers, NOTHING);
    this.endpoint.receive(value, { ...this.#route, channel });
    if (forOthers.length > 0) await this.#tell({ posted: Array.isArray(value) ? forOthers : value });
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
    const record = this.#orGone(await this.#parts.records.find(this.id));
    const connect = (): HttpStream => this.connect(exchange, headers, caller?.expiresAt);
    if (resumed && resumed.stream !== STANDALONE) return this.#resume(resumed, exchange, connect);
    return this.#listen(record, resumed?.number, exchange, connect);
  }

  /** Handles a message from another replica about this session. */
  hear(message: SessionMessage): void {
    if ("change" in message) this.endpoint.connection.legacy?.apply(message.change);
    if ("posted" in message) this.endpoint.receive(message.posted, { ...this.#route, channel: SILENT });
    if ("isListening" in message) this.#standalone.yield(this.#parts.journal.position ?? 0);
    if ("hasLeft" in message) this.#standalone.takeOver(message.hasLeft);
  }

  /** Keeps the record from expiring while the session is in use here. */
  renew(): void {
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

  #concernsOthers(message: JSONRPCMessage): boolean {
    if (isResponse(message))
      return typeof message.id === "string" && Replica.ownerOf(message.id) !== this.#parts.replica.id;
    const { method, params } = message;
    const isForHere =
      method === "notifications/cancelled" && this.endpoint.connection.isHandling(params?.["requestId"]);
    return !isForHere && TOLD_TO_OTHERS.has(method);
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
    record: SessionRecord,
    after: number | undefined,
    exchange: HttpExchange,
    connect: () => HttpStream,
  ): Promise<boolean> {
    // Nothing can be resumed after an event that was never sent.
    if ((after ?? 0) > (await this.#parts.journal.last())) return false;
    const begun = await this.#tell({ isListening: true });
    const from = after ?? Math.max(record.told, this.#standalone.told);
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
    const { records, replica } = this.#parts;
    const note = async (): Promise<void> => {
      const record = await records.change(this.id, (old) => ({ ...old, told: Math.max(old.told, told) }));
      // The client may still have a connection open at a replica where it listened before.
      if (record?.heldBy.some((holder) => holder !== replica.id)) await this.#tell({ hasLeft: begun });
    };
    note().catch(() => replica.sayLater(note));
  }

  async #keep(change: SessionChange): Promise<void> {
    this.#orGone(await this.#parts.records.change(this.id, (record) => withChange(record, change)));
    await this.#tell({ change });
  }

  /** The store may have lost its data: then no replica can continue the session. */
  #orGone(record: SessionRecord | undefined): SessionRecord {
    this.isGone = !record;
    if (record) return record;
    throw new SessionGone();
  }

  #tell(message: SessionMessage): Promise<number> {
    const { journal, replica } = this.#parts;
    const news: News = { kind: "session", id: this.id, from: replica.id, message };
    return journal.publish(news);
  }

  /** Keeps the record from expiring, without writing it at every use. */
  protected override touch(): void {
    super.touch();
    const { idleMs, records } = this.#parts;
    if (this.usedAt - this.#renewedAt < idleMs / 4) return;
    this.#renewedAt = this.usedAt;
    records.change(this.id, (record) => record).catch(NOTHING);
  }
}
