import {
  type Change,
  type Connection,
  type HttpStream,
  type Outgoing,
  type ReplyChannel,
  toEvent,
} from "@suite/core/replicas";

import { allChanges, isChange, type ChangeLog, type PlacedEvent } from "./change-log.ts";

export const STANDALONE = "0";

/**
 * The standalone stream of a shared session, for messages that concern no request. Its events are changes from the log,
 * numbered by their positions there, so that any replica can tell a client that reconnects what it missed.
 */
export class ChangeStream implements ReplyChannel {
  /** The position up to which this replica has told the client everything. */
  told = 0;
  /** The position in the log at which the client began to listen here. */
  begun = 0;
  readonly #log: ChangeLog;
  readonly #connection: Connection;
  /** Notes questions before they are sent. */
  readonly #note: (message: Outgoing) => Promise<void> | undefined;
  /** The newest is last and gets all new events. */
  readonly #connections: HttpStream[] = [];
  readonly #onOpened: (() => void)[] = [];
  /** The position up to which the log has been replayed. */
  #read = 0;
  #replayed: number | undefined;
  #isCatchingUp = false;
  /** The same as `begun` at another replica: the later one counts. */
  #elsewhere = 0;
  #isClosed = false;

  constructor(
    log: ChangeLog,
    connection: Connection,
    note: (message: Outgoing) => Promise<void> | undefined,
  ) {
    this.#log = log;
    this.#connection = connection;
    this.#note = note;
  }

  get isOpen(): boolean {
    return this.#connections.length > 0;
  }

  /** Whether the client listens at another replica now. */
  get #isElsewhere(): boolean {
    return this.#elsewhere > this.begun;
  }

  async opened(): Promise<void> {
    if (!this.isOpen || this.#isElsewhere) await new Promise<void>((resolve) => this.#onOpened.push(resolve));
  }

  send(message: Outgoing): void {
    const position = this.#replayed ?? this.#log.position;
    const isLater = this.#isCatchingUp && this.#replayed === undefined;
    const connection = this.#connections.at(-1);
    // Earlier changes are still told here: a client that resumes this stream has missed it on this stream.
    const isForOthers = this.#isElsewhere && (position ?? Number.POSITIVE_INFINITY) > this.#elsewhere;
    if (!connection || isForOthers) return;
    // Without an id: what is not in the log cannot be replayed.
    if (position === undefined) {
      const write = (): void => void connection.write(toEvent(message));
      return void (this.#note(message)?.then(write, write) ?? write());
    }
    if (isLater || position <= this.told) return;
    if (connection.write(toEvent(message, `${STANDALONE}.${position}`))) this.told = position;
  }

  /** Sends what happened after `after`, then what happens from now on, unless the client listens elsewhere since `begun`. */
  attach(connection: HttpStream, after: number, begun: number): void {
    this.begun = Math.max(this.begun, begun);
    // The session may have ended while its client was connecting.
    if (this.#isClosed) return connection.end();
    this.#connections.push(connection);
    this.told = this.#read = after;
    for (const resolve of this.#onOpened.splice(0)) resolve();
    if (!this.#isCatchingUp) void this.#catchUp();
  }

  lose(connection: HttpStream): void {
    const index = this.#connections.indexOf(connection);
    if (index !== -1) this.#connections.splice(index, 1);
  }

  /** The client has begun to listen at another replica. */
  yield(position: number): void {
    this.#elsewhere = Math.max(this.#elsewhere, position);
  }

  /** The client has left another replica. If it listened there last, it has to reconnect here for what it missed. */
  takeOver(begun: number): void {
    if (begun !== this.#elsewhere) return;
    if (this.#isElsewhere) this.disconnect();
    this.#elsewhere = 0;
  }

  /** Closes the connections, not the stream. */
  disconnect(): void {
    for (const connection of this.#connections.splice(0)) connection.end();
  }

  close(): void {
    this.#isClosed = true;
    this.disconnect();
  }

  async #catchUp(): Promise<void> {
    this.#isCatchingUp = true;
    try {
      do {
        const after = this.#read;
        const { seen } = this.#log;
        const missed = await this.#log.readAfter(after);
        // Another connection was attached meanwhile, at another position.
        if (after !== this.#read) continue;
        const forgotten = missed[0] ? missed[0].position - 1 : Math.max(after, seen);
        this.#read = forgotten > after ? this.#makeUpFor(forgotten) : this.#replaySeen(missed, after);
        // Checked in the same turn: whatever happens later is told as it happens.
      } while (this.#read < this.#log.seen);
    } catch {
      // The client cannot be told everything, so it is disconnected, and reconnects.
      this.disconnect();
    } finally {
      this.#isCatchingUp = false;
    }
  }

  /** The log has forgotten some changes, so every possible change is told. Only the last has an id: by then all were sent. */
  #makeUpFor(forgotten: number): number {
    const position = Math.max(forgotten, this.#log.seen);
    if (this.#isElsewhere) {
      // Only some of it would be sent here. A client that reconnects gets all of it.
      this.disconnect();
      return position;
    }
    const changes = allChanges(this.#connection);
    for (const change of changes.slice(0, -1)) this.#connection.emit(change);
    this.#replay(changes.slice(-1).map((event) => ({ position, event })));
    return position;
  }

  /** Later changes are told when they arrive: until then this replica may not know all subscriptions of its client. */
  #replaySeen(missed: readonly PlacedEvent[], after: number): number {
    const heard = missed.filter(({ position }) => position <= this.#log.seen);
    this.#replay(heard);
    return heard.at(-1)?.position ?? after;
  }

  #replay(missed: readonly PlacedEvent[]): void {
    const latest = new Map<string, { readonly position: number; readonly change: Change }>();
    for (const { position, event } of missed) {
      if (!event || !isChange(event)) continue;
      // Repeating a change adds nothing, so only the latest is told. Re-inserted, which keeps the order.
      const key = JSON.stringify(event);
      latest.delete(key);
      latest.set(key, { position, change: event });
    }
    try {
      for (const { position, change } of latest.values()) {
        this.#replayed = position;
        this.#connection.emit(change);
      }
    } finally {
      this.#replayed = undefined;
    }
  }
}
