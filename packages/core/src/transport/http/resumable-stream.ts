import type { JSONRPCMessage } from "../../jsonrpc/message.ts";
import { toEvent, toPrimingEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";

/** How soon a client that was let go may come back. */
const RETRY_MS = 1000;
/** What is kept for clients that come back, per stream. */
const MOST_EVENTS = 1000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

interface KeptEvent {
  readonly number: number;
  readonly text: string;
}

/**
 * A stream of a legacy session that outlives its connections: events have ids, the latest are kept, and a client that lost
 * its connection gets what it missed (2025-11-25 transports#resumability-and-redelivery).
 */
export class ResumableStream {
  readonly id: string;
  readonly #kept: KeptEvent[] = [];
  readonly #connections: HttpStream[] = [];
  #characters = 0;
  #last = 0;
  #delivered = 0;
  #isFinished = false;

  constructor(id: string) {
    this.id = id;
  }

  get isConnected(): boolean {
    return this.#connections.length > 0;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** How much is kept. */
  get characters(): number {
    return this.#characters;
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const event = { number: this.#last + 1, text: toEvent(message, `${this.id}.${this.#last + 1}`) };
    this.#last = event.number;
    this.#keep(event);
    // Each message goes to one connection only, the newest (transports#multiple-connections).
    if (this.#connections.at(-1)?.write(event.text) === true) this.#delivered = event.number;
  }

  /** Goes on over a new connection after event number `after`, or with whatever no connection has taken yet. */
  attach(connection: HttpStream, after: number | undefined, isPrimed: boolean): void {
    this.#connections.push(connection);
    const from = after ?? this.#delivered;
    if (isPrimed) connection.write(toPrimingEvent(`${this.id}.${from}`, RETRY_MS));
    for (const { number, text } of this.#kept) {
      if (number <= from) continue;
      connection.write(text);
      this.#delivered = Math.max(this.#delivered, number);
    }
    if (this.#isFinished) this.letGo();
  }

  lose(connection: HttpStream): void {
    const index = this.#connections.indexOf(connection);
    if (index !== -1) this.#connections.splice(index, 1);
  }

  /** Closes the connections, not the stream. */
  letGo(): void {
    for (const connection of this.#connections.splice(0)) connection.end();
  }

  finish(): void {
    this.#isFinished = true;
    this.letGo();
  }

  #keep(event: KeptEvent): void {
    this.#kept.push(event);
    this.#characters += event.text.length;
    // The latest stays, however long it is: it may be the answer, and nobody else has it.
    while (this.#kept.length > MOST_EVENTS || (this.#kept.length > 1 && this.#characters > MOST_CHARACTERS)) {
      this.#characters -= this.#kept.shift()?.text.length ?? 0;
    }
  }
}

/** Takes an event id apart; undefined for anything that is none of ours. */
export function parseEventId(id: string): { readonly stream: string; readonly number: number } | undefined {
  const match = /^(\w{1,16})\.(\d{1,15})$/.exec(id);
  return match ? { stream: match[1] ?? "", number: Number(match[2]) } : undefined;
}
