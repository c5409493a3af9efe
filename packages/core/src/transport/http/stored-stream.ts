import { Replica } from "../../connection/replica.ts";
import { INTERNAL_ERROR } from "../../jsonrpc/error.ts";
import type { JSONRPCMessage, RequestId } from "../../jsonrpc/message.ts";
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
/** How long events wait for the store before they go out without an id: less than a server has to end. */
const STORE_PATIENCE_MS = 1000;
const LOOK_FOR_OWNER_MS = 2000;
/** The entry that says that no other follows. */
const END = "";
export const RESUME_AFTER_MS = 1000;

/** The streams of one session that answer a POST, as every replica can find them. */
export class StoredStreams {
  readonly #replica: Replica;
  readonly #session: string;
  readonly #retention: EventRetention;
  #next = 1;

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
    const id = `${this.#replica.id}${(this.#next++).toString(36)}`;
    const { store } = this.#replica;
    const log = this.#logOf(id);
    const retention = new StreamRetention(this.#retention, () => {
      Promise.resolve(store.delete(log)).catch(() => undefined);
    });
    const stream = new StoredStream(id, {
      replica: this.#replica,
      connection,
      append: async (text) => {
        retention.grow(text.length);
        return store.append(log, text, text === END ? END_LIMITS : LIMITS);
      },
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
    const last = await store.last(log);
    // The latest is missing only where others needed the room, and then all of it is.
    if (last > 0) return number === last || (number < last && (await store.read(log, last - 1)).length > 0);
    return number === 0 && (await store.get(this.#openKeyOf(id))) !== undefined;
  }

  /** Writes what comes after an event, until all of it was said. */
  follow(id: string, after: number, connection: HttpStream): () => void {
    const { store } = this.#replica;
    const stop = store.follow(this.#logOf(id), after, ({ number, text }) => {
      if (text === END) connection.end();
      else connection.write(toTextEvent(text, `${id}.${number}`));
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
    if (open === undefined || open === "" || !(await this.#replica.hasGone(Replica.ownerOf(id)))) return;
    const isOurs = await store.set(this.#openKeyOf(id), "", { ttlMs: OPEN_MS, expected: { value: open } });
    if (!isOurs) return;
    const error = {
      code: INTERNAL_ERROR,
      message: "The process that worked on this request has ended: nobody knows how far it came",
    };
    for (const request of JSON.parse(open) as readonly RequestId[]) {
      await store.append(this.#logOf(id), JSON.stringify({ jsonrpc: "2.0", id: request, error }), LIMITS);
    }
    await store.append(this.#logOf(id), END, END_LIMITS);
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
  readonly append: (text: string) => Promise<number>;
  /** The number of an event, if it was stored after another. */
  readonly find: (text: string, after: number) => Promise<number | undefined>;
  readonly finished: () => Promise<void>;
  readonly onFinished: () => void;
}

/** The end of a stream where the work is done: stores each event, and then writes it. */
class StoredStream implements PostStream {
  readonly #id: string;
  readonly #ports: StreamPorts;
  /** One after the other, in their order. */
  #turn: Promise<void> = Promise.resolve();
  /** Of the latest event that is known to be stored. */
  #last = 0;
  /** Characters of events that wait for their turn. */
  #waiting = 0;

  constructor(id: string, ports: StreamPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  begin(open: () => Promise<unknown>, isPrimed: boolean): void {
    this.#then(async () => {
      await open();
      if (isPrimed) this.#ports.connection.write(toPrimingEvent(`${this.#id}.0`, RESUME_AFTER_MS));
    });
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const text = JSON.stringify(message);
    this.#waiting += text.length;
    this.#then(async () => {
      const number = await this.#store(text);
      // An event that could not be stored has no id: nobody could resume there.
      const id = number === undefined ? undefined : `${this.#id}.${number}`;
      const isTaken = this.#ports.connection.write(toTextEvent(text, id));
      // Nobody took it either: whoever comes back must find it, unless there is more than would be kept.
      if (number === undefined && !isTaken && this.#waiting <= LIMITS.mostCharacters) {
        await insist(() => this.#appendOnce(text));
      }
      this.#waiting -= text.length;
    });
  }

  /** Its number, or undefined where the store has been away for too long. Of all streams together, only the first event waits. */
  async #store(text: string): Promise<number | undefined> {
    const { replica } = this.#ports;
    const deadline = Date.now() + STORE_PATIENCE_MS;
    let attempt: () => Promise<number> = () => this.#append(text);
    for (;;) {
      try {
        const number = await attempt();
        replica.isStoreAway = false;
        return number;
      } catch {
        replica.isStoreAway ||= Date.now() > deadline;
        if (replica.isStoreAway) return undefined;
        await pause(RETRY_MS);
        attempt = () => this.#appendOnce(text);
      }
    }
  }

  /** After an attempt of which nobody knows whether it succeeded. */
  async #appendOnce(text: string): Promise<number> {
    const number = await this.#ports.find(text, this.#last);
    return number === undefined ? this.#append(text) : (this.#last = number);
  }

  async #append(text: string): Promise<number> {
    return (this.#last = await this.#ports.append(text));
  }

  letGo(): void {
    this.#then(async () => this.#ports.connection.end());
  }

  finish(): void {
    const { connection, append, finished, onFinished } = this.#ports;
    this.#then(async () => {
      const stored = insist(async () => {
        await append(END);
        await finished();
      });
      await Promise.race([stored, pause(RETRY_MS)]);
      connection.end();
      await stored;
    });
    this.#turn = this.#turn.then(onFinished);
  }

  #then(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch(() => undefined);
  }
}

/** The store may be away for a while. */
async function insist(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < MOST_RETRIES; attempt += 1) {
    try {
      await work();
      return;
    } catch {
      await pause(RETRY_MS);
    }
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => inBackground(setTimeout(() => resolve(), ms)));
