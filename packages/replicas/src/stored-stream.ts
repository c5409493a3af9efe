import { INTERNAL_ERROR, type JSONRPCResponse, type RequestId } from "@suite/core";
import {
  type HttpStream,
  isDoneWithin,
  isRequestId,
  isResponse,
  pauseInBackground,
  type Outgoing,
  type PostStream,
  toJson,
  toPrimingEvent,
  toTextEvent,
} from "@suite/core/replicas";

import type { ReplicaParts } from "./replica-parts.ts";
import type { LogLimits } from "./store.ts";

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
/** An entry without a number, written for an owner that does not answer, comes after all events and is never resumed from. */
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

interface StreamPorts extends Pick<ReplicaParts, "store" | "heartbeat"> {
  readonly connection: HttpStream;
  /** The names in the store of its events, and of the requests that it answers while it is open. */
  readonly log: string;
  readonly openKey: string;
  readonly grow: (characters: number) => void;
  /** Notes questions before they are stored. */
  readonly note: (message: Outgoing) => Promise<void> | undefined;
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
    const { store, openKey } = this.#ports;
    const priming = isPrimed ? toPrimingEvent(`${this.#id}.0`) : "";
    const open = async (): Promise<unknown> =>
      store.set(openKey, JSON.stringify(requests), { ttlMs: OPEN_MS });
    this.#write(
      priming,
      this.#store(open, () => undefined),
    );
  }

  send(message: Outgoing): void {
    const json = toJson(message);
    const number = (this.#number += 1);
    const entry = toEntry(number, json);
    this.#waiting += entry.length;
    const answered = [message]
      .flat()
      .flatMap((one) => (isResponse(one) && isRequestId(one.id) ? [one.id] : []));
    const stored = this.#store(
      async (isRepeated) => {
        await this.#ports.note(message);
        await this.#append(entry, isRepeated);
      },
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
    const { heartbeat, connection, onFinished } = this.#ports;
    // Without an end entry, a client that resumes would wait forever.
    const stored = this.#store(
      (isRepeated) => this.#end(isRepeated),
      () => heartbeat.retryLater(() => this.#end(true)),
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
    const { heartbeat } = this.#ports;
    if (heartbeat.isStoreDown) return;
    if (!(await isDoneWithin(STORE_PATIENCE_MS, stored))) heartbeat.isStoreDown = true;
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
        this.#ports.heartbeat.isStoreDown = false;
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
    await this.#ports.store.delete(this.#ports.openKey);
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
    const { log, store } = this.#ports;
    const later = isRepeated ? await store.read(log, this.#lastEntry) : [];
    const found = later.find(({ text }) => text === entry)?.number;
    this.#lastEntry = found ?? (await store.append(log, entry, entry === END ? END_LIMITS : LIMITS));
  }

  /** Puts an error in the place of each lost answer. Other messages are just dropped. */
  #lose(number: number, answered: readonly RequestId[]): void {
    const why = "The request was carried out, but its answer is lost: the store was unavailable";
    const errors = answered.map((id) => toError(id, why));
    if (errors.length > 0)
      this.#lost.push(toEntry(number, JSON.stringify(errors.length > 1 ? errors : errors[0])));
  }
}
