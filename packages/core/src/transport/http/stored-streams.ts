import { Replica } from "../../connection/replica.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { inBackground } from "../../features/background-timer.ts";
import type { RetainedItem } from "../../store/fair-memory.ts";
import { toTextEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";
import type { EventRetention } from "./resumable-stream.ts";
import { END, LIMITS, readEntry, StoredStream, toEntry, toError } from "./stored-stream.ts";

/** The end takes nothing away: what comes before it is the answer, however long. */
const END_LIMITS = { most: LIMITS.most + 1, ttlMs: LIMITS.ttlMs };
/** For the longest work that anybody may come back for. */
const OPEN_MS = 60 * 60_000;
const LOOK_FOR_OWNER_MS = 2000;
/** Whoever fails at it leaves it to others after this: longer than two of them can take to find the owner gone. */
const FINISHING_MS = 10_000;
/** Of the id of a stream, after its owner's. */
const RANDOM_LENGTH = 8;

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
    // The last word, and the end: twice, where the owner was taken for gone and ended it as well. They are missing only where
    // others needed the room, and then all of it is.
    const latest = await store.read(log, Math.max(0, (await store.last(log)) - 3));
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
    this.#timer = inBackground(setTimeout(() => this.#leave(), LIMITS.ttlMs));
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
