import { Replica } from "../../connection/replica.ts";
import { INTERNAL_ERROR } from "../../jsonrpc/error.ts";
import {
  isRequestId,
  isResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { inBackground } from "../../features/background-timer.ts";
import type { RetainedItem } from "./event-memory.ts";
import { toPrimingEvent, toTextEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";
import type { PostStream } from "./post-reply-channel.ts";
import type { EventRetention } from "./resumable-stream.ts";

const KEPT_MS = 10 * 60_000;
/** The same as of a stream that is kept in memory. */
const LIMITS = { most: 1000, mostCharacters: 8 * 1024 * 1024, ttlMs: KEPT_MS };
/** The end takes nothing away: what comes before it is the answer, however long. */
const END_LIMITS = { most: LIMITS.most + 1, ttlMs: KEPT_MS };
/** For the longest work that anybody may come back for. */
const OPEN_MS = 60 * 60_000;
const RETRY_MS = 300;
const MOST_RETRIES = 200;
/** How long events wait for the store before they go out all the same: less than a server has to end. */
const STORE_PATIENCE_MS = 1000;
const LOOK_FOR_OWNER_MS = 2000;
/** Whoever fails at it leaves it to others after this: longer than two of them can take to find the owner gone. */
const FINISHING_MS = 10_000;
/** Of the id of a stream, after its owner's. */
const RANDOM_LENGTH = 8;
/** The entry that says that no other follows. */
const END = "";
/** Events have numbers of their stream's own: they are given before anybody knows when the store will have them. */
const toEntry = (number: number | undefined, json: string): string => `${number ?? ""} ${json}`;
/** Without a number, it comes after all events: nobody resumes after the last word of those who found the owner gone. */
function readEntry(text: string): { readonly number: number; readonly json: string } {
  const space = text.indexOf(" ");
  const number = space === 0 ? Number.POSITIVE_INFINITY : Number(text.slice(0, space));
  return { number, json: text.slice(space + 1) };
}

const toError = (id: RequestId, message: string): JSONRPCResponse => ({
  jsonrpc: "2.0",
  id,
  error: { code: INTERNAL_ERROR, message },
});
export const RESUME_AFTER_MS = 1000;

/** The streams of one session that answer a POST, as every replica can find them. */
export class StoredStreams {
  readonly #replica: Replica;
  readonly #session: string;
  readonly #retention: EventRetention;

  constructor(replica: Replica, session: string, retention: EventRetention) {
    this.#replica = replica;
    this.#session = session;
    this.#retention = retention;
  }

  /** Begins one. `onFinished` is called once all of it is stored. */
  open(
    requests: readonly RequestId[],
    connection: HttpStream,
    { isPrimed, onFinished }: { readonly isPrimed: boolean; readonly onFinished: () => void },
  ): StoredStream {
    // Never again, also where this replica lets go of the session and continues it later: the store keeps what was told.
    const id = this.#replica.id + crypto.randomUUID().slice(0, RANDOM_LENGTH);
    const { store } = this.#replica;
    const log = this.#logOf(id);
    const retention = new StreamRetention(this.#retention, () => {
      Promise.resolve(store.delete(log)).catch(() => undefined);
    });
    const stream = new StoredStream(id, {
      replica: this.#replica,
      connection,
      grow: (characters) => retention.grow(characters),
      append: async (text) => store.append(log, text, text === END ? END_LIMITS : LIMITS),
      find: async (text, after) =>
        (await store.read(log, after)).find((entry) => entry.text === text)?.number,
      finished: async () => store.delete(this.#openKeyOf(id)),
      onFinished,
    });
    const open = async (): Promise<unknown> =>
      store.set(this.#openKeyOf(id), JSON.stringify(requests), { ttlMs: OPEN_MS });
    stream.begin(open, isPrimed);
    return stream;
  }

  /** Whether there is a stream with an event of that number, and what came after it. */
  async knows(id: string, number: number): Promise<boolean> {
    const { store } = this.#replica;
    const log = this.#logOf(id);
    // Of a stream that goes on, the store may not have all yet that its client has heard.
    if ((await store.get(this.#openKeyOf(id))) !== undefined) return true;
    // The last word, and the end. They are missing only where others needed the room, and then all of it is.
    const latest = await store.read(log, Math.max(0, (await store.last(log)) - 2));
    return latest.some(({ text }) => number <= (text === END ? 0 : readEntry(text).number));
  }

  /** Writes what comes after an event, until all of it was said. */
  follow(id: string, after: number, connection: HttpStream): () => void {
    const { store } = this.#replica;
    let told = after;
    // From the beginning: entries have other numbers than events where one could not be stored, or was stored twice.
    const stop = store.follow(this.#logOf(id), 0, ({ text }) => {
      if (text === END) return connection.end();
      const { number, json } = readEntry(text);
      if (number === Number.POSITIVE_INFINITY) connection.write(toTextEvent(json));
      else if (number > told) connection.write(toTextEvent(json, `${id}.${(told = number)}`));
    });
    const look = (): void => void this.#finishForOwner(id).catch(() => undefined);
    const timer = inBackground(setInterval(look, LOOK_FOR_OWNER_MS));
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /** Whoever worked on it is gone: those who wait are told so, by one of all who follow. */
  async #finishForOwner(id: string): Promise<void> {
    const { store } = this.#replica;
    const open = await store.get(this.#openKeyOf(id));
    if (open === undefined || !(await this.#replica.hasGone(Replica.ownerOf(id)))) return;
    const isFree = { ttlMs: FINISHING_MS, expected: { value: undefined } };
    if (!(await store.set(`finishing:${this.#session}:${id}`, this.#replica.id, isFree))) return;
    const message = "The process that worked on this request has ended: nobody knows how far it came";
    for (const request of JSON.parse(open) as readonly RequestId[]) {
      const entry = toEntry(undefined, JSON.stringify(toError(request, message)));
      await store.append(this.#logOf(id), entry, LIMITS);
    }
    await store.append(this.#logOf(id), END, END_LIMITS);
    await store.delete(this.#openKeyOf(id));
  }

  #logOf(id: string): string {
    return `events:${this.#session}:${id}`;
  }

  #openKeyOf(id: string): string {
    return `open:${this.#session}:${id}`;
  }
}

/** What the log of one stream takes of the room that this process gives to all of them. */
class StreamRetention {
  readonly #retention: EventRetention;
  readonly #forget: () => void;
  #kept: RetainedItem = { characters: 0, drop: () => undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `forget` empties the log, because others need the room. */
  constructor(retention: EventRetention, forget: () => void) {
    this.#retention = retention;
    this.#forget = forget;
  }

  grow(by: number): void {
    const { memory, principal } = this.#retention;
    const characters = Math.min(this.#kept.characters + by, Math.max(by, LIMITS.mostCharacters));
    this.#leave();
    this.#kept = { characters, drop: () => this.#drop() };
    this.#timer = inBackground(setTimeout(() => this.#leave(), KEPT_MS));
    memory.add(principal, this.#kept);
  }

  #drop(): void {
    this.#leave();
    this.#kept = { characters: 0, drop: () => undefined };
    this.#forget();
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#retention.memory.delete(this.#retention.principal, this.#kept);
  }
}

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
class StoredStream implements PostStream {
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

  letGo(): void {
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
