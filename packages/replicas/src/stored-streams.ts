import type { RequestId } from "@suite/core";
import {
  type EventRetention,
  type HttpStream,
  inBackground,
  type Outgoing,
  type RetainedItem,
  toTextEvent,
} from "@suite/core/replicas";

import { ownerOf } from "./heartbeat.ts";
import type { ReplicaParts } from "./replica-parts.ts";
import { END, END_LIMITS, LIMITS, readEntry, StoredStream, toEntry, toError } from "./stored-stream.ts";

const LOOK_FOR_OWNER_MS = 2000;
/** After this, another replica may finish a stream if the first has failed. Longer than two need to find the owner dead. */
const FINISHING_MS = 10_000;
/** Random characters of a stream's id, after the id of its owner. */
const RANDOM_LENGTH = 8;

/** The streams of one session that answer POSTs, stored where every replica finds them. */
export class StoredStreams {
  readonly #parts: Pick<ReplicaParts, "store" | "heartbeat">;
  readonly #session: string;
  readonly #retention: EventRetention;

  constructor(parts: Pick<ReplicaParts, "store" | "heartbeat">, session: string, retention: EventRetention) {
    this.#parts = parts;
    this.#session = session;
    this.#retention = retention;
  }

  /** `onFinished` is called once the whole stream is stored. */
  open(
    requests: readonly RequestId[],
    connection: HttpStream,
    events: {
      readonly isPrimed: boolean;
      readonly onFinished: () => void;
      readonly note?: (message: Outgoing) => Promise<void> | undefined;
    },
  ): StoredStream {
    // Random: if this replica drops the session and continues it later, the store still has the earlier streams.
    const { store, heartbeat } = this.#parts;
    const id = heartbeat.id + crypto.randomUUID().slice(0, RANDOM_LENGTH);
    const log = this.#logOf(id);
    const retention = new StreamRetention(this.#retention, () => {
      Promise.resolve(store.delete(log)).catch(() => undefined);
    });
    const stream = new StoredStream(id, {
      store,
      heartbeat,
      connection,
      log,
      openKey: this.#openKeyOf(id),
      grow: (characters) => retention.grow(characters),
      onFinished: events.onFinished,
      note: events.note ?? (() => undefined),
    });
    stream.begin(requests, events.isPrimed);
    return stream;
  }

  /** Whether the stream can be resumed after the event of that number. */
  async knows(id: string, number: number): Promise<boolean> {
    const { store } = this.#parts;
    const log = this.#logOf(id);
    // The log of an open stream may lag behind what its client has received.
    if ((await store.get(this.#openKeyOf(id))) !== undefined) return true;
    // The last three entries include an event: after it comes the end, twice if the owner was taken for dead and also
    // ended the stream. A log that was dropped to make room is empty.
    const latest = await store.read(log, Math.max(0, (await store.last(log)) - 3));
    return latest.some(({ text }) => number <= (text === END ? 0 : readEntry(text).number));
  }

  /** Writes the events after number `after` until the stream ends. */
  follow(id: string, after: number, connection: HttpStream): () => void {
    const { store } = this.#parts;
    let told = after;
    // From the beginning: numbers of entries and events differ if an event could not be stored, or was stored twice.
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

  /** If the owner does not answer, one of the replicas that follow the stream ends it with errors. */
  async #finishForOwner(id: string): Promise<void> {
    const { store, heartbeat } = this.#parts;
    const open = await store.get(this.#openKeyOf(id));
    if (open === undefined || !(await heartbeat.isDead(ownerOf(id)))) return;
    const isFree = { ttlMs: FINISHING_MS, expected: { value: undefined } };
    if (!(await store.set(`finishing:${this.#session}:${id}`, heartbeat.id, isFree))) return;
    const message =
      "The process that works on this request does not answer: how far it got is unknown, and it may still finish";
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

/** Counts the log of one stream towards the limit of this process for all of them. */
class StreamRetention {
  readonly #retention: EventRetention;
  readonly #forget: () => void;
  #kept: RetainedItem = { characters: 0, drop: () => undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `forget` empties the log to make room for others. */
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
