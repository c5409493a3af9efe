import type { Replica } from "../../connection/replica.ts";
import { INTERNAL_ERROR } from "../../jsonrpc/error.ts";
import {
  isRequestId,
  isResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { toJson } from "../../jsonrpc/to-json.ts";
import { isDoneWithin, pauseInBackground } from "../../timing/timers.ts";
import type { LogLimits } from "../../store/store.ts";
import { toPrimingEvent, toTextEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";
import type { PostStream } from "./post-reply-channel.ts";

/** For the log of one stream; as large as a stream that is kept in memory. */
export const LIMITS: Required<Omit<LogLimits, "keepsCount">> = {
  most: 1000,
  mostCharacters: 8 * 1024 * 1024,
  ttlMs: 10 * 60_000,
};
/** Storing the end must not evict the answer before it, whatever its size. */
export const END_LIMITS: LogLimits = { most: LIMITS.most + 1, ttlMs: LIMITS.ttlMs };
/** How long an unfinished stream counts as open: enough for the longest work whose stream may be resumed. */
const OPEN_MS = 60 * 60_000;
const RETRY_MS = 300;
const MOST_RETRIES = 200;
/** How long an event waits to be stored before it is sent anyway. Less than the time a server has to shut down. */
const STORE_PATIENCE_MS = 1000;

/** The log entry that marks the end of a stream. */
export const END = "";
/** Events have their own numbers, not those of the log: a number is assigned before the event is stored. */
export const toEntry = (number: number | undefined, json: string): string => `${number ?? ""} ${json}`;
/** An entry without a number, written for an owner that is gone, comes after all events and is never resumed from. */
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
  /** The names in the store of its events, and of the requests that it answers while it is open. */
  readonly log: string;
  readonly openKey: string;
  readonly grow: (characters: number) => void;
  readonly onFinished: () => void;
}

/** The sending end of a stream, where the work is done. Sends each event once it is stored, or unstored after a timeout. */
export class StoredStream implements PostStream {
  readonly #id: string;
  readonly #ports: StreamPorts;
  /** Two queues, each in the order of the events. */
  #stored: Promise<void> = Promise.resolve();
  #written: Promise<void> = Promise.resolve();
  /** The number of the latest event. */
  #number = 0;
  /** The number of the latest log entry that is known to be stored. */
  #lastEntry = 0;
  /** Characters of events that are not stored yet. */
  #waiting = 0;
  /** Error entries, to be stored in place of answers that could not be. */
  readonly #lost: string[] = [];
  #hasEnded = false;
  #retries = MOST_RETRIES;

  constructor(id: string, ports: StreamPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  begin(requests: readonly RequestId[], isPrimed: boolean): void {
    const { replica, openKey } = this.#ports;
    const priming = isPrimed ? toPrimingEvent(`${this.#id}.0`) : "";
    const open = async (): Promise<unknown> =>
      replica.store.set(openKey, JSON.stringify(requests), { ttlMs: OPEN_MS });
    this.#write(
      priming,
      this.#store(open, () => undefined),
    );
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const json = toJson(message);
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
    // Without an end entry, a client that resumes would wait forever.
    const stored = this.#store(
      (isRepeated) => this.#end(isRepeated),
      () => replica.sayLater(() => this.#end(true)),
    );
    this.#inTurn(async () => {
      await Promise.race([stored, pauseInBackground(RETRY_MS)]);
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

  /** Once one event of any stream has timed out, none waits until the store is back. */
  async #waitFor(stored: Promise<void>): Promise<void> {
    const { replica } = this.#ports;
    if (replica.isStoreAway) return;
    if (!(await isDoneWithin(STORE_PATIENCE_MS, stored))) replica.isStoreAway = true;
  }

  /**
   * Stores in order and retries, so that a client that resumes finds everything even after an outage. Calls `lose` after too
   * many retries, or when more is waiting than the log would keep.
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
        await pauseInBackground(RETRY_MS);
      }
    }
  }

  async #end(isRepeated: boolean): Promise<void> {
    if (!this.#hasEnded) await this.#append(END, isRepeated);
    this.#hasEnded = true;
    await this.#ports.replica.store.delete(this.#ports.openKey);
  }

  async #append(entry: string, isRepeated: boolean): Promise<void> {
    if (!isRepeated) this.#ports.grow(entry.length);
    for (let lost = this.#lost[0]; lost !== undefined; lost = this.#lost[0]) {
      await this.#appendOnce(lost, true);
      this.#lost.shift();
    }
    await this.#appendOnce(entry, isRepeated);
  }

  /** A failed attempt may have stored the entry all the same, so a repeated one looks for it first. */
  async #appendOnce(entry: string, isRepeated: boolean): Promise<void> {
    const { log, replica } = this.#ports;
    const later = isRepeated ? await replica.store.read(log, this.#lastEntry) : [];
    const found = later.find(({ text }) => text === entry)?.number;
    this.#lastEntry = found ?? (await replica.store.append(log, entry, entry === END ? END_LIMITS : LIMITS));
  }

  /** Puts an error in the place of each lost answer. Other messages are just dropped. */
  #lose(number: number, answered: readonly RequestId[]): void {
    const why = "The request was carried out, but its answer is lost: the store was unavailable";
    const errors = answered.map((id) => toError(id, why));
    if (errors.length > 0)
      this.#lost.push(toEntry(number, JSON.stringify(errors.length > 1 ? errors : errors[0])));
  }
}
