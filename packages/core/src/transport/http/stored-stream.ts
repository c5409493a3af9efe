import { Replica } from "../../connection/replica.ts";
import { INTERNAL_ERROR } from "../../jsonrpc/error.ts";
import type { JSONRPCMessage, RequestId } from "../../jsonrpc/message.ts";
import { inBackground } from "../../features/background-timer.ts";
import { toPrimingEvent, toTextEvent } from "./event-stream.ts";
import type { HttpStream } from "./exchange.ts";
import type { PostStream } from "./post-reply-channel.ts";

const LIMITS = { most: 1000, ttlMs: 10 * 60_000 };
/** For the longest work that anybody may come back for. */
const OPEN_MS = 60 * 60_000;
const RETRY_MS = 300;
const MOST_RETRIES = 200;
const LOOK_FOR_OWNER_MS = 2000;
/** The entry that says that no other follows. */
const END = "";
export const RESUME_AFTER_MS = 1000;

/** The streams of one session that answer a POST, as every replica can find them. */
export class StoredStreams {
  readonly #replica: Replica;
  readonly #session: string;
  #next = 1;

  constructor(replica: Replica, session: string) {
    this.#replica = replica;
    this.#session = session;
  }

  /** Begins one. `onFinished` is called once all of it is stored. */
  open(
    requests: readonly RequestId[],
    connection: HttpStream,
    { isPrimed, onFinished }: { readonly isPrimed: boolean; readonly onFinished: () => void },
  ): StoredStream {
    const id = `${this.#replica.id}${(this.#next++).toString(36)}`;
    const { store } = this.#replica;
    const stream = new StoredStream(id, {
      connection,
      append: async (text) => store.append(this.#logOf(id), text, LIMITS),
      finished: async () => store.delete(this.#openKeyOf(id)),
      onFinished,
    });
    const open = async (): Promise<unknown> =>
      store.set(this.#openKeyOf(id), JSON.stringify(requests), { ttlMs: OPEN_MS });
    stream.begin(open, isPrimed);
    return stream;
  }

  /** Whether there is a stream with an event of that number. */
  async knows(id: string, number: number): Promise<boolean> {
    const { store } = this.#replica;
    const last = await store.last(this.#logOf(id));
    if (last > 0) return number <= last;
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
    await store.append(this.#logOf(id), END, LIMITS);
  }

  #logOf(id: string): string {
    return `events:${this.#session}:${id}`;
  }

  #openKeyOf(id: string): string {
    return `open:${this.#session}:${id}`;
  }
}

interface StreamPorts {
  readonly connection: HttpStream;
  readonly append: (text: string) => Promise<number>;
  readonly finished: () => Promise<void>;
  readonly onFinished: () => void;
}

/** The end of a stream where the work is done: stores each event, and then writes it. */
class StoredStream implements PostStream {
  readonly #id: string;
  readonly #ports: StreamPorts;
  /** One after the other, in their order. */
  #turn: Promise<void> = Promise.resolve();

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
    this.#then(async () => {
      // An event that could not be stored has no id: nobody could resume there.
      const number = await this.#ports.append(text).catch(() => undefined);
      this.#ports.connection.write(
        toTextEvent(text, number === undefined ? undefined : `${this.#id}.${number}`),
      );
    });
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
async function insist(work: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < MOST_RETRIES; attempt += 1) {
    try {
      return await work();
    } catch {
      await pause(RETRY_MS);
    }
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => inBackground(setTimeout(() => resolve(), ms)));
