import type { JSONRPCMessage } from "../../jsonrpc/message.ts";
import type { FairMemory, RetainedItem } from "../../connection/fair-memory.ts";
import { toEvent, toPrimingEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";

/** What is kept per stream for clients that reconnect. */
const MOST_KEPT = { events: 1000, characters: 8 * 1024 * 1024 };
/** The same for a stream that its client has not opened yet: most clients never do. */
const MOST_UNOPENED = { events: 20, characters: 16 * 1024 };
/** Per stream. Only the newest connection gets new events. */
const MOST_CONNECTIONS = 8;

/** Where events are kept, and the caller whose share they use. */
export interface EventRetention {
  readonly memory: FairMemory;
  readonly principal: string | undefined;
}

interface NumberedEvent extends RetainedItem {
  readonly text: string;
  /** An event replaces an earlier one with the same subject. */
  readonly subject: string | undefined;
}

/**
 * A stream of a legacy session that outlives its connections: events have ids, the latest are kept, and a client that lost
 * its connection gets what it missed (2025-11-25 transports#resumability-and-redelivery).
 */
export class ResumableStream {
  readonly id: string;
  isFinished = false;
  /** How much is kept. */
  characters = 0;
  readonly #retention: EventRetention;
  /** By number, oldest first. */
  readonly #kept = new Map<number, NumberedEvent>();
  /** The number of the latest event on each subject. */
  readonly #subjects = new Map<string, number>();
  readonly #connections: HttpStream[] = [];
  readonly #onOpened: (() => void)[] = [];
  #last = 0;
  #delivered = 0;
  #wasOpened = false;

  constructor(id: string, retention: EventRetention) {
    this.id = id;
    this.#retention = retention;
  }

  /** Whether some connection has taken everything there was. */
  get isDelivered(): boolean {
    return this.#delivered === this.#last;
  }

  /** Whether an event of this number was ever sent; true for 0. */
  knows(number: number): boolean {
    return number <= this.#last;
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const number = (this.#last += 1);
    const text = toEvent(message, `${this.id}.${number}`);
    this.#keep(number, text, subjectOf(message));
    // Each message goes to one connection only, the newest (transports#multiple-connections).
    if (this.#connections.at(-1)?.write(text) === true) this.#delivered = number;
  }

  async opened(): Promise<void> {
    if (this.#connections.length === 0) await new Promise<void>((resolve) => this.#onOpened.push(resolve));
  }

  /** Continues over a new connection after event number `after`, or with whatever no connection has taken yet. */
  attach(connection: HttpStream, after: number | undefined, isPrimed: boolean): void {
    this.#wasOpened = true;
    this.#connections.push(connection);
    if (this.#connections.length > MOST_CONNECTIONS) this.#connections.shift()?.end();
    const from = after ?? this.#delivered;
    if (isPrimed) connection.write(toPrimingEvent(`${this.id}.${from}`));
    for (const [number, { text }] of this.#kept) {
      if (number <= from) continue;
      connection.write(text);
      this.#delivered = Math.max(this.#delivered, number);
    }
    if (this.isFinished) this.disconnect();
    for (const resolve of this.#onOpened.splice(0)) resolve();
  }

  lose(connection: HttpStream): void {
    const index = this.#connections.indexOf(connection);
    if (index !== -1) this.#connections.splice(index, 1);
  }

  /** Closes the connections, not the stream. */
  disconnect(): void {
    for (const connection of this.#connections.splice(0)) connection.end();
  }

  finish(): void {
    this.isFinished = true;
    this.disconnect();
  }

  /** Forgets the events, which no client will ask for any more. */
  forgetAll(): void {
    for (const number of this.#kept.keys()) this.#forget(number);
  }

  #keep(number: number, text: string, subject: string | undefined): void {
    if (subject !== undefined) {
      this.#forget(this.#subjects.get(subject));
      this.#subjects.set(subject, number);
    }
    const event = { text, characters: text.length, subject, drop: () => this.#forget(number) };
    this.#kept.set(number, event);
    this.characters += text.length;
    this.#retention.memory.add(this.#retention.principal, event);
    const most = this.#wasOpened ? MOST_KEPT : MOST_UNOPENED;
    // The latest stays, whatever its size: it may be the only copy of the answer.
    while (this.#kept.size > most.events || (this.#kept.size > 1 && this.characters > most.characters)) {
      const [oldest] = this.#kept.keys();
      this.#forget(oldest);
    }
  }

  #forget(number: number | undefined): void {
    const event = number === undefined ? undefined : this.#kept.get(number);
    if (number === undefined || !event) return;
    const { text, subject } = event;
    this.#kept.delete(number);
    this.characters -= text.length;
    if (subject !== undefined && this.#subjects.get(subject) === number) this.#subjects.delete(subject);
    this.#retention.memory.delete(this.#retention.principal, event);
  }
}

/** What a change notification is about: repeating it tells the client nothing new. Undefined for other messages. */
function subjectOf(message: JSONRPCMessage | readonly JSONRPCMessage[]): string | undefined {
  if (!("method" in message) || "id" in message) return undefined;
  const { method, params } = message;
  if (method.endsWith("/list_changed")) return method;
  return method === "notifications/resources/updated" ? `${method} ${String(params?.["uri"])}` : undefined;
}

/** Undefined if the id is not one that `send` could have made. */
export function parseEventId(id: string): { readonly stream: string; readonly number: number } | undefined {
  const match = /^(\w{1,16})\.(\d{1,15})$/.exec(id);
  return match ? { stream: match[1] ?? "", number: Number(match[2]) } : undefined;
}
