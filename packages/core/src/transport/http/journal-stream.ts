import type { Journal, News } from "../../connection/journal.ts";
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
  /** The newest last: it gets all that is new. */
  readonly #connections: HttpStream[] = [];
  readonly #onOpened: (() => void)[] = [];
  #told = 0;
  /** How much of the journal was looked through. */
  #read = 0;
  #retold: number | undefined;
  #isCatchingUp = false;
  #isElsewhere = false;
  #isClosed = false;

  constructor(journal: Journal, retell: (news: News) => void) {
    this.#journal = journal;
    this.#retell = retell;
  }

  /** The position up to which the client has heard everything, as far as it was told here. */
  get told(): number {
    return this.#told;
  }

  get isOpen(): boolean {
    return this.#connections.length > 0;
  }

  async opened(): Promise<void> {
    if (!this.isOpen || this.#isElsewhere) await new Promise<void>((resolve) => this.#onOpened.push(resolve));
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const position = this.#retold ?? this.#journal.position;
    const isLater = this.#isCatchingUp && this.#retold === undefined;
    const connection = this.#connections.at(-1);
    if (!connection || this.#isElsewhere) return;
    // What is not in the journal cannot be told again.
    if (position === undefined) return void connection.write(toEvent(message));
    if (isLater || position <= this.#told) return;
    if (connection.write(toEvent(message, `${STANDALONE}.${position}`))) this.#told = position;
  }

  /** Tells what happened after `after`, and then what happens from now on. */
  async attach(connection: HttpStream, after: number): Promise<void> {
    // The session may have ended while its client was coming.
    if (this.#isClosed) return connection.end();
    this.#connections.push(connection);
    this.#isElsewhere = false;
    this.#told = this.#read = after;
    for (const resolve of this.#onOpened.splice(0)) resolve();
    if (!this.#isCatchingUp) await this.#catchUp();
  }

  lose(connection: HttpStream): void {
    const index = this.#connections.indexOf(connection);
    if (index !== -1) this.#connections.splice(index, 1);
  }

  /** The client listens at another replica now. */
  yield(): void {
    this.#isElsewhere = true;
  }

  /** Closes the connections, not the stream. */
  letGo(): void {
    for (const connection of this.#connections.splice(0)) connection.end();
  }

  close(): void {
    this.#isClosed = true;
    this.letGo();
  }

  async #catchUp(): Promise<void> {
    this.#isCatchingUp = true;
    while (this.#isCatchingUp) {
      const read = this.#read;
      const missed = await this.#journal.readAfter(read).catch((thrown: unknown) => {
        this.#isCatchingUp = false;
        throw thrown;
      });
      // Another connection came meanwhile, and has missed more.
      if (read !== this.#read) continue;
      // The same again says no more than it did the first time.
      const latest = new Map(missed.map((placed) => [JSON.stringify(placed.news), placed]));
      for (const { position, news } of [...latest.values()].toSorted((a, b) => a.position - b.position)) {
        this.#retold = position;
        if (news) this.#retell(news);
        this.#retold = undefined;
      }
      this.#read = missed.at(-1)?.position ?? read;
      // In this very turn: whatever happens in the next is told as it happens.
      this.#isCatchingUp = this.#read < this.#journal.seen && missed.length > 0;
    }
  }
}
