import type { ChangeNews, Journal, News, PlacedNews } from "../../connection/journal.ts";
import type { ReplyChannel } from "../../connection/reply-channel.ts";
import type { JSONRPCMessage } from "../../jsonrpc/message.ts";
import { toEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";

export const STANDALONE = "0";

/**
 * The standalone stream of a shared session, for messages that concern no request. Its events are news from the journal,
 * numbered by their positions there, so that any replica can tell a client that reconnects what it missed.
 */
export class JournalStream implements ReplyChannel {
  /** The position up to which this replica has told the client everything. */
  told = 0;
  /** The journal position at which the client began to listen here. */
  begun = 0;
  readonly #journal: Journal;
  /** Replays news to the connection of this session. */
  readonly #retell: (news: News) => void;
  /** Every change that the client could be notified of. */
  readonly #allChanges: () => readonly ChangeNews[];
  /** The newest is last and gets all new events. */
  readonly #connections: HttpStream[] = [];
  readonly #onOpened: (() => void)[] = [];
  /** The journal position up to which news has been replayed. */
  #read = 0;
  #retold: number | undefined;
  #isCatchingUp = false;
  /** The same as `begun` at another replica: the later one counts. */
  #elsewhere = 0;
  #isClosed = false;

  constructor(journal: Journal, retell: (news: News) => void, allChanges: () => readonly ChangeNews[]) {
    this.#journal = journal;
    this.#retell = retell;
    this.#allChanges = allChanges;
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

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const position = this.#retold ?? this.#journal.position;
    const isLater = this.#isCatchingUp && this.#retold === undefined;
    const connection = this.#connections.at(-1);
    // Earlier news is still told here: a client that resumes this stream has missed it on this stream.
    const isForOthers = this.#isElsewhere && (position ?? Number.POSITIVE_INFINITY) > this.#elsewhere;
    if (!connection || isForOthers) return;
    // Without an id: what is not in the journal cannot be replayed.
    if (position === undefined) return void connection.write(toEvent(message));
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
        const { seen } = this.#journal;
        const missed = await this.#journal.readAfter(after);
        // Another connection was attached meanwhile, at another position.
        if (after !== this.#read) continue;
        const forgotten = missed[0] ? missed[0].position - 1 : Math.max(after, seen);
        this.#read = forgotten > after ? this.#makeUpFor(forgotten) : this.#retellHeard(missed, after);
        // Checked in the same turn: whatever happens later is told as it happens.
      } while (this.#read < this.#journal.seen);
    } catch {
      // The client cannot be told everything, so it is disconnected, and reconnects.
      this.disconnect();
    } finally {
      this.#isCatchingUp = false;
    }
  }

  /** The journal has forgotten some news, so every possible change is told. Only the last has an id: by then all were sent. */
  #makeUpFor(forgotten: number): number {
    const position = Math.max(forgotten, this.#journal.seen);
    if (this.#isElsewhere) {
      // Only some of it would be sent here. A client that reconnects gets all of it.
      this.disconnect();
      return position;
    }
    const changes = this.#allChanges();
    for (const change of changes.slice(0, -1)) this.#retell(change);
    this.#retellAll(changes.slice(-1).map((news) => ({ position, news })));
    return position;
  }

  /** Later news is told when it arrives: until then this replica may not know all subscriptions of its client. */
  #retellHeard(missed: readonly PlacedNews[], after: number): number {
    const heard = missed.filter(({ position }) => position <= this.#journal.seen);
    this.#retellAll(heard);
    return heard.at(-1)?.position ?? after;
  }

  #retellAll(missed: readonly PlacedNews[]): void {
    // Repeating the same news adds nothing, so only the latest is told.
    const latest = new Map(missed.map((placed) => [JSON.stringify(placed.news), placed]));
    try {
      for (const { position, news } of [...latest.values()].toSorted((a, b) => a.position - b.position)) {
        this.#retold = position;
        if (news) this.#retell(news);
      }
    } finally {
      this.#retold = undefined;
    }
  }
}
