import { inBackground } from "../../features/background-timer.ts";
import type { MaybePromise } from "../../model/maybe-promise.ts";
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

/** A session that is just being looked up, and may change or end meanwhile. */
interface Recall {
  readonly id: string;
  readonly heard: SessionMessage[];
  isOver: boolean;
}

/** Of what is kept for clients that reconnect, in all sessions together. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
const ENDED = "The client ended the session";

/** The legacy sessions of one HTTP server: found by id, ended when nobody has used them for a while. */
export class HttpSessions {
  /** Learns of what clients are told nothing about. */
  readonly report: (thrown: unknown) => void;
  isDraining = false;
  readonly #server: HttpServable;
  readonly #open: OpenStreams;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #memory = new FairMemory(MOST_CHARACTERS);
  /** Of those that began here: what others continue of them counts no second time. */
  readonly #shares: Shares;
  readonly #begun = new Set<HttpSession>();
  /** Of all that are here, wherever they began: it is these that take the room. */
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

  /** Undefined when there are as many as there may be, or as this caller may have, and all are in use. */
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

  /** A session is only there for whoever opened it: to everybody else its id means nothing. */
  find(id: string, principal: string | undefined): MaybePromise<HttpSession | undefined> {
    const session = this.#sessions.get(id);
    if (!session) return this.#parts && this.#recall(id, principal, this.#parts);
    if (session.principal !== principal) return undefined;
    // Whoever was used last comes last, so that the map begins with those that nobody has used for longest.
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
    return session;
  }

  /** Another replica may know it. */
  async #recall(
    id: string,
    principal: string | undefined,
    { journal, records, replica }: SharedSessionParts,
  ): Promise<HttpSession | undefined> {
    // From then on nothing that others say about it is missed.
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
      // Not before the session itself hears.
      this.#recalls.delete(recall);
    }
  }

  #restore(
    { id, heard }: Recall,
    principal: string | undefined,
    record: SessionRecord,
  ): HttpSession | undefined {
    // The session is not over: whoever asks again may find room.
    if (!this.#hasRoomFor(principal) && !this.#makeRoomFor(principal)) throw new TooManySessions();
    const session = this.#add(this.#make(id, principal));
    if (session instanceof SharedSession && session.restore(record)) {
      for (const message of heard) session.hear(message);
      return session;
    }
    this.drop(session, "This process cannot continue the session");
    return undefined;
  }

  /** For good, wherever it may be continued. False where this caller has no such session. */
  async end(id: string, principal: string | undefined): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session && session.principal !== principal) return false;
    const isHere = session !== undefined;
    const isEnded = (await this.#endings?.end(id, principal, isHere)) ?? isHere;
    if (isEnded) this.#dropEnded(id);
    return isEnded;
  }

  /** Here: others may go on with it. */
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

  /** Connections of those who only listen end now, and those that still come at once. */
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

  /** Whoever listens comes back, and is told what may have changed. Work that has begun here is finished all the same. */
  #lookAgainLater(session: HttpSession): void {
    if (session.isIdle) this.drop(session, "This process has missed what others said of the session");
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

  /** The least recently used goes first, of the same caller if there is one; a session in use never does. */
  #makeRoomFor(
    principal: string | undefined,
    frees: (session: HttpSession) => boolean = () => true,
  ): boolean {
    const idle = this.all().filter(
      (session) => session.isIdleSince(Number.POSITIVE_INFINITY) && frees(session),
    );
    const own = idle.find((session) => session.principal === principal);
    // Whoever has had their share takes nothing from others.
    const hasShare = this.#shares.isUsedUp(principal) || this.#here.isUsedUp(principal);
    const unwanted = own ?? (hasShare ? undefined : idle[0]);
    if (unwanted) this.drop(unwanted, "The server needed the room");
    return unwanted !== undefined;
  }
}
