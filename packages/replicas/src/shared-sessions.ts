import {
  type CallerUsage,
  type Endpoint,
  type HttpServable,
  type HttpSession,
  HttpSessions,
  type OpenStreams,
  type SessionOptions,
  TooManySessions,
} from "@suite/core/replicas";

import type { ReplicaMessage } from "./change-log.ts";
import type { ReplicaParts } from "./replica-parts.ts";
import { type EndingMessage, SessionEndings } from "./session-endings.ts";
import { type SessionRecord, SessionRecords } from "./session-records.ts";
import { type SessionMessage, SharedSession, type SharedSessionParts } from "./shared-session.ts";

/** A lookup in progress of a session from another replica, which may change or end meanwhile. */
interface Recall {
  readonly id: string;
  readonly messages: SessionMessage[];
  isOver: boolean;
}

/** Sessions that any replica can continue. */
export class SharedSessions extends HttpSessions {
  readonly #parts: SharedSessionParts;
  readonly #endings: SessionEndings;
  readonly #recalls = new Set<Recall>();

  constructor(
    server: HttpServable,
    open: OpenStreams,
    usage: CallerUsage,
    options: SessionOptions,
    parts: ReplicaParts,
  ) {
    super(server, open, usage, options);
    const { idleMs } = options;
    const records = new SessionRecords(parts.store, idleMs);
    this.#parts = { ...parts, idleMs, records, memory: this.memory };
    this.#endings = new SessionEndings(parts, records);
    parts.changes.on((message) => {
      if (message.kind === "gap") for (const session of this.all()) this.#lookAgainLater(session);
      if (message.kind === "session" && message.from !== parts.heartbeat.id) this.#on(message);
    });
  }

  /** On every replica. */
  override async end(id: string, principal: string | undefined): Promise<boolean> {
    const session = this.own(id);
    if (session && session.principal !== principal) return false;
    const isEnded = await this.#endings.end(id, principal, session !== undefined);
    if (isEnded) this.#dropEnded(id);
    return isEnded;
  }

  protected override make(id: string, endpoint: Endpoint, principal: string | undefined): SharedSession {
    return new SharedSession(id, endpoint, principal, this.#parts, this.openStreams);
  }

  protected override async recall(
    id: string,
    principal: string | undefined,
  ): Promise<HttpSession | undefined> {
    const { changes, records, heartbeat } = this.#parts;
    // Once the log is being followed, no message about the session is missed.
    await changes.ready();
    const recall: Recall = { id, messages: [], isOver: false };
    this.#recalls.add(recall);
    try {
      const record = await records.hold(id, principal, heartbeat.id);
      if (!record || recall.isOver) return undefined;
      return this.own(id) ?? this.#restore(recall, principal, record);
    } finally {
      // Only now: from here on the session itself receives the messages.
      this.#recalls.delete(recall);
    }
  }

  #restore(
    { id, messages }: Recall,
    principal: string | undefined,
    record: SessionRecord,
  ): HttpSession | undefined {
    const session = this.adopt(id, principal);
    // An error rather than undefined: the session still exists, and a retry may find room.
    if (!session) throw new TooManySessions();
    if (session instanceof SharedSession && session.restore(record)) {
      for (const message of messages) session.on(message);
      return session;
    }
    this.drop(session, "This process cannot continue the session");
    return undefined;
  }

  #on({ id, from, message: told }: ReplicaMessage): void {
    const message = told as SessionMessage | EndingMessage;
    if ("isOver" in message) {
      this.#dropEnded(id);
      this.#endings.confirm(id, message.heldBy);
    } else if ("hasLetGo" in message) this.#endings.noteLetGo(id, from);
    else {
      const session = this.own(id);
      if (session instanceof SharedSession) session.on(message);
      else for (const recall of this.#recalls) if (recall.id === id) recall.messages.push(message);
    }
  }

  /** After a gap in the log: listening clients reconnect, and learn what may have changed. Work begun here goes on. */
  #lookAgainLater(session: HttpSession): void {
    if (session.isIdle) this.drop(session, "This process missed updates about the session");
    else session.disconnectListeners();
  }

  #dropEnded(id: string): void {
    for (const recall of this.#recalls) if (recall.id === id) recall.isOver = true;
    const session = this.own(id);
    if (session) this.drop(session, "The client ended the session");
  }
}
