import { FairMemory } from "../../connection/fair-memory.ts";
import { inBackground } from "../../timing/timers.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import { personOf } from "../../values/principal.ts";
import type { Endpoint } from "../../revision/endpoint.ts";
import type { CallerUsage } from "./caller-usage.ts";
import type { HttpServable } from "./http-servable.ts";
import type { OpenStreams } from "./open-streams.ts";
import { type HttpSession, LocalSession } from "./session.ts";
import { Shares } from "../../connection/shares.ts";

export interface SessionOptions {
  readonly idleMs: number;
  readonly most: number;
}

/** Of events kept for clients that reconnect, in all sessions together. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** The legacy sessions of one HTTP server: found by id, dropped when idle for too long. */
export class HttpSessions {
  /** Receives failures that clients are not told about. */
  readonly report: (thrown: unknown) => void;
  isDraining = false;
  protected readonly openStreams: OpenStreams;
  protected readonly memory: FairMemory = new FairMemory(MOST_CHARACTERS);
  readonly #server: HttpServable;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, HttpSession>();
  /** Counts the sessions created here. Replicas that continue one do not count it again. */
  readonly #shares: Shares;
  readonly #begun = new Set<HttpSession>();
  /** Counts all sessions held here, wherever they were created: each of them takes memory. */
  readonly #here: Shares;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(server: HttpServable, open: OpenStreams, usage: CallerUsage, options: SessionOptions) {
    this.#server = server;
    this.report = server.runtime.report;
    this.openStreams = open;
    this.#options = options;
    this.#shares = usage.limit("sessions", options.most);
    this.#here = new Shares(options.most, this.#shares.perCallerLimit);
  }

  /** Undefined if the server's or this caller's limit is reached and no idle session can be dropped instead. */
  create(principal: string | undefined): HttpSession | undefined {
    const takes = (): boolean => this.#hasRoomFor(principal) && this.#shares.take(principal);
    const frees = (session: HttpSession): boolean =>
      !this.#shares.isUsedUp(principal) || this.#begun.has(session);
    if (!takes() && !(this.#makeRoomFor(principal, frees) && takes())) return undefined;
    const session = this.#add(this.make(crypto.randomUUID(), this.#server.open(), principal));
    this.#begun.add(session);
    return session;
  }

  /** Finds a session only for the principal that opened it. */
  find(id: string, principal: string | undefined): MaybePromise<HttpSession | undefined> {
    const session = this.#sessions.get(id);
    if (!session) return this.recall(id, principal);
    if (session.principal !== principal || session.isGone) return undefined;
    // Re-inserted, so that the map is ordered from the least to the most recently used.
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
    return session;
  }

  /** Ends a session for good. False if this caller has no such session. */
  async end(id: string, principal: string | undefined): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session?.principal !== principal) return false;
    if (session) this.drop(session, "The client ended the session");
    return session !== undefined;
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

  protected own(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  protected make(id: string, endpoint: Endpoint, principal: string | undefined): HttpSession {
    return new LocalSession(id, endpoint, { memory: this.memory, principal }, this.openStreams);
  }

  /** Continues a session that another process opened, if there is one. */
  protected recall(_id: string, _principal: string | undefined): MaybePromise<HttpSession | undefined> {
    return undefined;
  }

  /** Adds a session that was begun elsewhere. Undefined if there is no room, though there may be later. */
  protected adopt(id: string, principal: string | undefined): HttpSession | undefined {
    if (!this.#hasRoomFor(principal) && !this.#makeRoomFor(principal)) return undefined;
    return this.#add(this.make(id, this.#server.open(), principal));
  }

  #hasRoomFor(principal: string | undefined): boolean {
    return this.#sessions.size < this.#options.most && !this.#here.isUsedUp(principal);
  }

  #add(session: HttpSession): HttpSession {
    this.#sessions.set(session.id, session);
    this.#here.take(session.principal);
    const sweepMs = Math.max(10, Math.min(60_000, this.#options.idleMs / 2));
    this.#sweeper ??= inBackground(setInterval(() => this.#sweep(), sweepMs));
    return session;
  }

  #sweep(): void {
    const before = Date.now() - this.#options.idleMs;
    for (const session of this.all()) {
      if (session.isIdleSince(before)) this.drop(session, "The session was idle for too long");
      else session.renew();
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
