import { inBackground } from "../../timing/timers.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import { personOf } from "../../values/principal.ts";
import type { News } from "../../connection/journal.ts";
import type { CallerUsage } from "./caller-usage.ts";
import { FairMemory } from "../../store/fair-memory.ts";
import type { HttpServable } from "./http-servable.ts";
import type { OpenStreams } from "./open-streams.ts";
import { TooManySessions } from "./refusals.ts";
import { type HttpSession, LocalSession } from "./session.ts";
import { type EndingMessage, SessionEndings } from "./session-endings.ts";
import { type SessionRecord, SessionRecords, withHolder } from "./session-records.ts";
import { type SessionMessage, SharedSession, type SharedSessionParts } from "./shared-session.ts";
import { Shares } from "../../connection/shares.ts";

export interface SessionOptions {
  readonly idleMs: number;
  readonly most: number;
}

/** A lookup in progress of a session from another replica, which may change or end meanwhile. */
interface Recall {
  readonly id: string;
  readonly heard: SessionMessage[];
  isOver: boolean;
}

/** Of events kept for clients that reconnect, in all sessions together. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
const ENDED = "The client ended the session";

/** The legacy sessions of one HTTP server: found by id, dropped when idle for too long. */
export class HttpSessions {
  /** Receives failures that clients are not told about. */
  readonly report: (thrown: unknown) => void;
  isDraining = false;
  readonly #server: HttpServable;
  readonly #open: OpenStreams;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #memory = new FairMemory(MOST_CHARACTERS);
  /** Counts the sessions created here. Replicas that continue one do not count it again. */
  readonly #shares: Shares;
  readonly #begun = new Set<HttpSession>();
  /** Counts all sessions held here, wherever they were created: each of them takes memory. */
  readonly #here: Shares;
  readonly #parts: SharedSessionParts | undefined;
  readonly #endings: SessionEndings | undefined;
  readonly #recalls = new Set<Recall>();
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(server: HttpServable, open: OpenStreams, usage: CallerUsage, options: SessionOptions) {
    this.#server = server;
    this.report = server.runtime.report;
    this.#open = open;
    this.#options = options;
    this.#shares = usage.limit("sessions", options.most);
    this.#here = new Shares(options.most, this.#shares.mostOfOne);
    const { replica, journal } = server.runtime;
    if (replica.isAlone) return;
    const { idleMs } = options;
    const records = new SessionRecords(replica.store, idleMs);
    this.#parts = { replica, journal, idleMs, records, memory: this.#memory };
    this.#endings = new SessionEndings(replica, journal, records);
    journal.hear((news) => this.#hear(news));
  }

  /** Undefined if the server's or this caller's limit is reached and no idle session can be dropped instead. */
  create(principal: string | undefined): HttpSession | undefined {
    const takes = (): boolean => this.#hasRoomFor(principal) && this.#shares.take(principal);
    const frees = (session: HttpSession): boolean =>
      !this.#shares.isUsedUp(principal) || this.#begun.has(session);
    if (!takes() && !(this.#makeRoomFor(principal, frees) && takes())) return undefined;
    const session = this.#make(crypto.randomUUID(), principal);
    this.#begun.add(session);
    return this.#add(session);
  }

  #make(id: string, principal: string | undefined): HttpSession {
    const endpoint = this.#server.open();
    if (this.#parts) return new SharedSession(id, endpoint, principal, this.#parts, this.#open);
    return new LocalSession(id, endpoint, { memory: this.#memory, principal }, this.#open);
  }

  #hasRoomFor(principal: string | undefined): boolean {
    return this.#sessions.size < this.#options.most && !this.#here.isUsedUp(principal);
  }

  #add<Session extends HttpSession>(session: Session): Session {
    this.#sessions.set(session.id, session);
    this.#here.take(session.principal);
    const sweepMs = Math.max(10, Math.min(60_000, this.#options.idleMs / 2));
    this.#sweeper ??= inBackground(setInterval(() => this.#sweep(), sweepMs));
    return session;
  }

  /** Finds a session only for the principal that opened it. */
  find(id: string, principal: string | undefined): MaybePromise<HttpSession | undefined> {
    const session = this.#sessions.get(id);
    if (!session) return this.#parts && this.#recall(id, principal, this.#parts);
    if (session.principal !== principal || session.isGone) return undefined;
    // Re-inserted, so that the map is ordered from the least to the most recently used.
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
    return session;
  }

  /** Continues a session that another replica opened, if there is one. */
  async #recall(
    id: string,
    principal: string | undefined,
    { journal, records, replica }: SharedSessionParts,
  ): Promise<HttpSession | undefined> {
    // Once the journal is being followed, no message about the session is missed.
    await journal.begun();
    const recall: Recall = { id, heard: [], isOver: false };
    this.#recalls.add(recall);
    const hold = (record: SessionRecord): SessionRecord | undefined =>
      (record.principal ?? undefined) === principal && !record.isOver
        ? withHolder(record, replica.id)
        : undefined;
    try {
      const record = await records.change(id, hold);
      if (!record || recall.isOver) return undefined;
      return this.#sessions.get(id) ?? this.#restore(recall, principal, record);
    } finally {
      // Only now: from here on the session itself receives the messages.
      this.#recalls.delete(recall);
    }
  }

  #restore(
    { id, heard }: Recall,
    principal: string | undefined,
    record: SessionRecord,
  ): HttpSession | undefined {
    // An error rather than undefined: the session still exists, and a retry may find room.
    if (!this.#hasRoomFor(principal) && !this.#makeRoomFor(principal)) throw new TooManySessions();
    const session = this.#add(this.#make(id, principal));
    if (session instanceof SharedSession && session.restore(record)) {
      for (const message of heard) session.hear(message);
      return session;
    }
    this.drop(session, "This process cannot continue the session");
    return undefined;
  }

  /** Ends a session for good, on every replica. False if this caller has no such session. */
  async end(id: string, principal: string | undefined): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session && session.principal !== principal) return false;
    const isHere = session !== undefined;
    const isEnded = (await this.#endings?.end(id, principal, isHere)) ?? isHere;
    if (isEnded) this.#dropEnded(id);
    return isEnded;
  }

  /** Drops a session from this process only: other replicas may continue it. */
  drop(session: HttpSession, reason: string): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#here.giveBack(session.principal);
    if (this.#begun.delete(session)) this.#shares.giveBack(session.principal);
    this.#server.close(session.endpoint, new Error(reason));
    session.close();
  }

  all(): readonly HttpSession[] {
    return [...this.#sessions.values()];
  }

  get areIdle(): boolean {
    return this.all().every((session) => session.isIdle);
  }

  /** Ends the connections of clients that only listen. With `isDraining`, new ones end as soon as they open. */
  drain(): void {
    this.isDraining = true;
    for (const session of this.all()) session.disconnectListeners();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const session of this.all()) this.drop(session, "The server is shutting down");
  }

  #hear(news: News): void {
    if (news.kind === "gap") for (const session of this.all()) this.#lookAgainLater(session);
    if (news.kind !== "session" || news.from === this.#parts?.replica.id) return;
    const { id, from } = news;
    const message = news.message as SessionMessage | EndingMessage;
    if ("isOver" in message) {
      this.#dropEnded(id);
      this.#endings?.confirm(id, message.heldBy);
    } else if ("hasLetGo" in message) this.#endings?.hearLetGo(id, from);
    else {
      const session = this.#sessions.get(id);
      if (session instanceof SharedSession) session.hear(message);
      else for (const recall of this.#recalls) if (recall.id === id) recall.heard.push(message);
    }
  }

  /** After a gap in the journal: listening clients reconnect, and learn what may have changed. Work begun here goes on. */
  #lookAgainLater(session: HttpSession): void {
    if (session.isIdle) this.drop(session, "This process missed updates about the session");
    else session.disconnectListeners();
  }

  #dropEnded(id: string): void {
    for (const recall of this.#recalls) if (recall.id === id) recall.isOver = true;
    const session = this.#sessions.get(id);
    if (session) this.drop(session, ENDED);
  }

  #sweep(): void {
    const before = Date.now() - this.#options.idleMs;
    for (const session of this.all()) {
      if (session.isIdleSince(before)) this.drop(session, "The session was idle for too long");
      else if (session instanceof SharedSession) session.renew();
    }
  }

  /** Drops the least recently used idle session, preferably one of the same person. */
  #makeRoomFor(
    principal: string | undefined,
    frees: (session: HttpSession) => boolean = () => true,
  ): boolean {
    const idle = this.all().filter(
      (session) => session.isIdleSince(Number.POSITIVE_INFINITY) && frees(session),
    );
    const own = idle.find((session) => personOf(session.principal) === personOf(principal));
    // A caller at its own limit must not displace the sessions of others.
    const hasShare = this.#shares.isUsedUp(principal) || this.#here.isUsedUp(principal);
    const unwanted = own ?? (hasShare ? undefined : idle[0]);
    if (unwanted) this.drop(unwanted, "The server needed room for another session");
    return unwanted !== undefined;
  }
}
