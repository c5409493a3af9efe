import type { Replica } from "../../connection/replica.ts";
import { INTERNAL_ERROR } from "../../jsonrpc/error.ts";
import {
  isRequestId,
  isResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { inBackground } from "../../features/background-timer.ts";
import type { LogLimits } from "../../store/store.ts";
import { toPrimingEvent, toTextEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";
import type { PostStream } from "./post-reply-channel.ts";

/** Of the log of one stream: the same as of one that is kept in memory. */
export const LIMITS: Required<Omit<LogLimits, "keepsCount">> = {
  most: 1000,
  mostCharacters: 8 * 1024 * 1024,
  ttlMs: 10 * 60_000,
};
export const RESUME_AFTER_MS = 1000;
const RETRY_MS = 300;
const MOST_RETRIES = 200;
/** How long events wait for the store before they go out all the same: less than a server has to end. */
const STORE_PATIENCE_MS = 1000;

/** The entry that says that no other follows. */
export const END = "";
/** Events have numbers of their stream's own: they are given before anybody knows when the store will have them. */
export const toEntry = (number: number | undefined, json: string): string => `${number ?? ""} ${json}`;
/** Without a number, it comes after all events: nobody resumes after the last word of those who found the owner gone. */
export function readEntry(text: string): { readonly number: number; readonly json: string } {
  const space = text.indexOf(" ");
  const number = space === 0 ? Number.POSITIVE_INFINITY : Number(text.slice(0, space));
  return { number, json: text.slice(space + 1) };
}

export const toError = (id: RequestId, message: string): JSONRPCResponse => ({
  jsonrpc: "2.0",
  id,
  error: { code: INTERNAL_ERROR, message },
});

interface StreamPorts {
  readonly replica: Replica;
  readonly connection: HttpStream;
  readonly grow: (characters: number) => void;
  readonly append: (entry: string) => Promise<number>;
  /** The number that an entry has in the log, if it was stored after another. */
  readonly find: (entry: string, after: number) => Promise<number | undefined>;
  readonly finished: () => Promise<void>;
  readonly onFinished: () => void;
}

/** The end of a stream where the work is done: stores each event, and then writes it, or after a while without the store. */
export class StoredStream implements PostStream {
  readonly #id: string;
  readonly #ports: StreamPorts;
  /** Both one after the other, in the order of the events. */
  #stored: Promise<void> = Promise.resolve();
  #written: Promise<void> = Promise.resolve();
  /** Of the latest event. */
  #number = 0;
  /** Of the latest entry of the log that is known to be there. */
  #lastEntry = 0;
  /** Characters of events that are not stored yet. */
  #waiting = 0;
  /** In the place of answers that could not be stored. */
  readonly #lost: string[] = [];
  #hasEnded = false;
  #retries = MOST_RETRIES;

  constructor(id: string, ports: StreamPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  begin(open: () => Promise<unknown>, isPrimed: boolean): void {
    const priming = isPrimed ? toPrimingEvent(`${this.#id}.0`, RESUME_AFTER_MS) : "";
    this.#write(
      priming,
      this.#store(open, () => undefined),
    );
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const json = JSON.stringify(message);
    const number = (this.#number += 1);
    const entry = toEntry(number, json);
    this.#waiting += entry.length;
    const answered = [message]
      .flat()
      .flatMap((one) => (isResponse(one) && isRequestId(one.id) ? [one.id] : []));
    const stored = this.#store(
      (isRepeated) => this.#append(entry, isRepeated),
      () => this.#lose(number, answered),
    );
    this.#write(
      toTextEvent(json, `${this.#id}.${number}`),
      stored.then(() => void (this.#waiting -= entry.length)),
    );
  }

  disconnect(): void {
    this.#inTurn(async () => this.#ports.connection.end());
  }

  finish(): void {
    const { replica, connection, onFinished } = this.#ports;
    // Without an end, whoever comes back would wait for nothing.
    const stored = this.#store(
      (isRepeated) => this.#end(isRepeated),
      () => replica.sayLater(() => this.#end(true)),
    );
    this.#inTurn(async () => {
      await Promise.race([stored, pause(RETRY_MS)]);
      connection.end();
      await stored;
      onFinished();
    });
  }

  #write(event: string, stored: Promise<void>): void {
    this.#inTurn(async () => {
      await this.#waitFor(stored);
      if (event !== "") this.#ports.connection.write(event);
    });
  }

  #inTurn(work: () => Promise<void>): void {
    this.#written = this.#written.then(work).catch(() => undefined);
  }

  /** Of all streams together, only the first event waits for a store that is away. */
  async #waitFor(stored: Promise<void>): Promise<void> {
    const { replica } = this.#ports;
    if (replica.isStoreAway) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(() => resolve(void (replica.isStoreAway = true)), STORE_PATIENCE_MS);
    });
    await Promise.race([stored, patience]);
    clearTimeout(timer);
  }

  /**
   * In its turn. Whoever comes back must find it, though the store was away for a while. It is lost where that takes too long,
   * or where there is more than would be kept.
   */
  #store(work: (isRepeated: boolean) => Promise<unknown>, lose: () => void): Promise<void> {
    return (this.#stored = this.#stored.then(() => this.#insist(work, lose)));
  }

  async #insist(work: (isRepeated: boolean) => Promise<unknown>, lose: () => void): Promise<void> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        await work(isRepeated);
        this.#ports.replica.isStoreAway = false;
        this.#retries = MOST_RETRIES;
        return;
      } catch {
        if (this.#retries === 0 || this.#waiting > LIMITS.mostCharacters) return lose();
        this.#retries -= 1;
        await pause(RETRY_MS);
      }
    }
  }

  async #end(isRepeated: boolean): Promise<void> {
    if (!this.#hasEnded) await this.#append(END, isRepeated);
    this.#hasEnded = true;
    await this.#ports.finished();
  }

  async #append(entry: string, isRepeated: boolean): Promise<void> {
    if (!isRepeated) this.#ports.grow(entry.length);
    for (let lost = this.#lost[0]; lost !== undefined; lost = this.#lost[0]) {
      await this.#appendOnce(lost, true);
      this.#lost.shift();
    }
    await this.#appendOnce(entry, isRepeated);
  }

  /** Also where nobody knows whether an attempt has succeeded. */
  async #appendOnce(entry: string, isRepeated: boolean): Promise<void> {
    const { append, find } = this.#ports;
    const found = isRepeated ? await find(entry, this.#lastEntry) : undefined;
    this.#lastEntry = found ?? (await append(entry));
  }

  /** An error stands for each answer that is lost. Of other messages there is nothing to say. */
  #lose(number: number, answered: readonly RequestId[]): void {
    const why = "The request was carried out, but its answer could not be kept while the store was away";
    const errors = answered.map((id) => toError(id, why));
    if (errors.length > 0)
      this.#lost.push(toEntry(number, JSON.stringify(errors.length > 1 ? errors : errors[0])));
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => inBackground(setTimeout(() => resolve(), ms)));
