import type { ChangeNews, Journal, News, PlacedNews } from "../../connection/journal.ts";
import type { ReplyChannel } from "../../connection/reply-channel.ts";
import type { JSONRPCMessage } from "../../jsonrpc/message.ts";
import { toEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";

export const STANDALONE = "0";

/**
 * What concerns no request, for the client of a shared session. Its events are the news of the journal that concern the
 * session, and have their numbers there: whoever comes back is told by any replica what it missed.
 */
export class JournalStream implements ReplyChannel {
  readonly #journal: Journal;
  /** Tells this session's connection again what happened. */
  readonly #retell: (news: News) => void;
  /** Every change that its client could be told of. */
  readonly #allChanges: () => readonly ChangeNews[];
  /** The newest last: it gets all that is new. */
  readonly #connections: HttpStream[] = [];
  readonly #onOpened: (() => void)[] = [];
  #told = 0;
  /** How much of the journal was looked through. */
  #read = 0;
  #retold: number | undefined;
  #isCatchingUp = false;
  /** Where in the journal it says that the client began to listen, here and at another replica: the later holds. */
  #here = 0;
  #elsewhere = 0;
  #isClosed = false;

  constructor(journal: Journal, retell: (news: News) => void, allChanges: () => readonly ChangeNews[]) {
    this.#journal = journal;
    this.#retell = retell;
    this.#allChanges = allChanges;
  }

  /** The position up to which the client has heard everything, as far as it was told here. */
  get told(): number {
    return this.#told;
  }

  /** Where the journal says that the client listens here. */
  get begun(): number {
    return this.#here;
  }

  get isOpen(): boolean {
    return this.#connections.length > 0;
  }

  /** Whether the client listens at another replica now. */
  get #isElsewhere(): boolean {
    return this.#elsewhere > this.#here;
  }

  async opened(): Promise<void> {
    if (!this.isOpen || this.#isElsewhere) await new Promise<void>((resolve) => this.#onOpened.push(resolve));
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const position = this.#retold ?? this.#journal.position;
    const isLater = this.#isCatchingUp && this.#retold === undefined;
    const connection = this.#connections.at(-1);
    // What came before is told here all the same: whoever resumes this stream has missed it on this stream.
    const isForOthers = this.#isElsewhere && (position ?? Number.POSITIVE_INFINITY) > this.#elsewhere;
    if (!connection || isForOthers) return;
    // What is not in the journal cannot be told again.
    if (position === undefined) return void connection.write(toEvent(message));
    if (isLater || position <= this.#told) return;
    if (connection.write(toEvent(message, `${STANDALONE}.${position}`))) this.#told = position;
  }

  /** Tells what happened after `after`, and then what happens from now on, unless the client has moved on since `begun`. */
  attach(connection: HttpStream, after: number, begun: number): void {
    this.#here = Math.max(this.#here, begun);
    // The session may have ended while its client was coming.
    if (this.#isClosed) return connection.end();
    this.#connections.push(connection);
    this.#told = this.#read = after;
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

  /** The client has left another replica. Where it listened there last, it is told here again: it comes back for what it missed. */
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
        // Another connection came meanwhile, and has missed more.
        if (after !== this.#read) continue;
        const forgotten = missed[0] ? missed[0].position - 1 : Math.max(after, seen);
        this.#read = forgotten > after ? this.#makeUpFor(forgotten) : this.#retellHeard(missed, after);
        // In this very turn: whatever happens in the next is told as it happens.
      } while (this.#read < this.#journal.seen);
    } catch {
      // Whoever cannot be told everything is told no more, and comes back.
      this.disconnect();
    } finally {
      this.#isCatchingUp = false;
    }
  }

  /** Anything may have been in what the journal has forgotten. Whoever hears the last of it has heard all, so it has the id. */
  #makeUpFor(forgotten: number): number {
    const position = Math.max(forgotten, this.#journal.seen);
    if (this.#isElsewhere) {
      // Only some of it would be told here. Whoever comes back is told all.
      this.disconnect();
      return position;
    }
    const changes = this.#allChanges();
    for (const change of changes.slice(0, -1)) this.#retell(change);
    this.#retellAll(changes.slice(-1).map((news) => ({ position, news })));
    return position;
  }

  /** The rest is told when it is heard: until then this replica may not know what its client has subscribed to. */
  #retellHeard(missed: readonly PlacedNews[], after: number): number {
    const heard = missed.filter(({ position }) => position <= this.#journal.seen);
    this.#retellAll(heard);
    return heard.at(-1)?.position ?? after;
  }

  #retellAll(missed: readonly PlacedNews[]): void {
    // The same again says no more than it did the first time.
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
