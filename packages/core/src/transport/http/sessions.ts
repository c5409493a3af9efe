import { inBackground } from "../../features/background-timer.ts";
import { Shares } from "./capacity.ts";
import { EventMemory } from "./event-memory.ts";
import type { Hosting } from "./hosting.ts";
import type { OpenStreams } from "./open-streams.ts";
import { HttpSession } from "./session.ts";

export interface SessionOptions {
  readonly idleMs: number;
  readonly most: number;
}

/** The legacy sessions of one HTTP server: found by id, ended when nobody has used them for a while. */
export class HttpSessions {
  readonly #hosting: Hosting;
  readonly #open: OpenStreams;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #memory = new EventMemory();
  readonly #shares: Shares;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(hosting: Hosting, open: OpenStreams, options: SessionOptions) {
    this.#hosting = hosting;
    this.#open = open;
    this.#options = options;
    this.#shares = new Shares(options.most);
  }

  /** Undefined when there are as many as there may be, or as this caller may have, and all are in use. */
  create(principal: string | undefined): HttpSession | undefined {
    const takes = (): boolean => this.#shares.take(principal);
    if (!takes() && !(this.#makeRoomFor(principal) && takes())) return undefined;
    const keeping = { memory: this.#memory, principal };
    const session = new HttpSession(crypto.randomUUID(), this.#hosting.open(), keeping, this.#open);
    this.#sessions.set(session.id, session);
    const sweepMs = Math.max(10, Math.min(60_000, this.#options.idleMs / 2));
    this.#sweeper ??= inBackground(setInterval(() => this.#sweep(), sweepMs));
    return session;
  }

  /** A session is only there for whoever opened it: to everybody else its id means nothing. */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.principal !== principal) return undefined;
    // Whoever was used last comes last, so that the map begins with those that nobody has used for longest.
    if (session && this.#sessions.delete(id)) this.#sessions.set(id, session);
    return session;
  }

  end(session: HttpSession, reason: string): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#shares.giveBack(session.principal);
    this.#hosting.close(session.endpoint, new Error(reason));
    session.close();
  }

  all(): readonly HttpSession[] {
    return [...this.#sessions.values()];
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const session of this.all()) this.end(session, "The server is shutting down");
  }

  #sweep(): void {
    const before = Date.now() - this.#options.idleMs;
    for (const session of this.all()) {
      if (session.isIdleSince(before)) this.end(session, "The session was idle for too long");
    }
  }

  /** The least recently used goes first, of the same caller if there is one; a session in use never does. */
  #makeRoomFor(principal: string | undefined): boolean {
    const idle = this.all().filter((session) => session.isIdleSince(Number.POSITIVE_INFINITY));
    const own = idle.find((session) => session.principal === principal);
    // Whoever has had their share takes nothing from others.
    const unwanted = own ?? (this.#shares.isUsedUp(principal) ? undefined : idle[0]);
    if (unwanted) this.end(unwanted, "The server needed the room");
    return unwanted !== undefined;
  }
}
