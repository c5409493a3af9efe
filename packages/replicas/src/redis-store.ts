import { type CommandParser, createClient, defineScript, type RedisClientOptions } from "@redis/client";
import {
  type StoredEntry,
  type LogLimits,
  type Rate,
  type SetConditions,
  type Store,
  StoreUnavailable,
  type TakenTokens,
} from "@suite/core";

import { Follower } from "./follower.ts";
import { APPEND, SET_IF_SAME, TAKE } from "./scripts.ts";

export interface RedisOptions {
  /** `redis://host:port/database`, or `rediss://` for TLS. */
  readonly url: string;
  readonly password?: string;
  /** Other options of the client, such as certificates. The store sets time-outs and reconnection itself. */
  readonly client?: RedisClientOptions;
  /** Prefix of all keys: servers that are not replicas of each other need different ones. */
  readonly prefix: string;
  /** Called when Redis becomes unreachable, and when it is back. */
  readonly onStateChange?: (isThere: boolean, reason?: Error) => void;
}

/** A connection on which a command gets no answer for this long is considered dead. */
const SILENCE_MS = 3000;
/** Commands that may wait for an answer: about one for each request that a server handles at once. */
const MOST_WAITING = 10_000;
const PING_MS = 1000;
const LONGEST_PAUSE_MS = 1000;
/** How long start-up waits for Redis. After that the server starts anyway, and uses Redis once it is reachable. */
const FIRST_CONNECTION_MS = 2000;

/** Entries per read of a log. */
const MOST_READ = 500;

type Client = ReturnType<typeof toClient>;

/** Redis is sent the digest of a script, and its text only if it does not know the digest. */
const toScript = <Reply>(text: string, keyCount: number, transformReply: (reply: unknown) => Reply) =>
  defineScript({
    SCRIPT: text,
    NUMBER_OF_KEYS: keyCount,
    parseCommand(parser: CommandParser, keys: string[], args: readonly (string | number)[]) {
      parser.pushKeys(keys);
      parser.push(...args.map(String));
    },
    transformReply,
  });

const SCRIPTS = {
  setIfSame: toScript(SET_IF_SAME, 1, (reply) => reply === 1),
  appendEntry: toScript(APPEND, 3, Number),
  takeTokens: toScript(TAKE, 1, (reply): TakenTokens => {
    const [tokens, waitMs] = reply as [number, number];
    return { tokens, waitMs };
  }),
};

const toClient = ({ url, password, client }: RedisOptions) =>
  createClient({
    ...client,
    url,
    ...(password !== undefined && { password }),
    scripts: SCRIPTS,
    // While disconnected, commands fail at once instead of being sent later.
    disableOfflineQueue: true,
    // No limit in the client: it would reject its own pings too, and report that as a failure of Redis.
    commandsQueueMaxLength: 0,
    pingInterval: PING_MS,
    socket: {
      ...client?.socket,
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS),
    },
  });

/** Connects, and keeps reconnecting until it is closed. */
export async function openRedisStore(options: RedisOptions): Promise<Store> {
  const store = new RedisStore(options);
  await store.open();
  return store;
}

class RedisStore implements Store {
  readonly isShared = true;
  readonly #prefix: string;
  readonly #commands: Client;
  readonly #messages: Client;
  /** Each with the function that subscribes it, which does nothing if it is already subscribed. */
  readonly #followers = new Map<Follower, () => void>();
  /** Functions that unsubscribe stopped followers, kept until Redis has confirmed. */
  readonly #leaving = new Set<() => void>();
  readonly #onStateChange: (isThere: boolean, reason?: Error) => void;
  #waiting = 0;
  #isThere = true;
  #isClosed = false;

  constructor(options: RedisOptions) {
    this.#prefix = options.prefix;
    this.#onStateChange = options.onStateChange ?? (() => undefined);
    this.#commands = toClient(options);
    this.#messages = toClient(options);
    for (const client of [this.#commands, this.#messages]) {
      client.on("error", (error: Error) => this.#lost(error));
      client.on("ready", () => this.#found());
      // If Redis had rejected a ping, it is back without a new connection.
      client.on("ping-interval", () => {
        if (!this.#isThere) this.#found();
      });
    }
  }

  async open(): Promise<void> {
    const connected = Promise.all([this.#commands.connect(), this.#messages.connect()]).catch(
      (error: unknown) => this.#lost(error as Error),
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, FIRST_CONNECTION_MS)));
    await Promise.race([connected, patience]);
    clearTimeout(timer);
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#ask(() => this.#commands.get(this.#prefix + key))) ?? undefined;
  }

  async set(key: string, value: string, { ttlMs, expected }: SetConditions): Promise<boolean> {
    const name = this.#prefix + key;
    if (expected?.value !== undefined) {
      const args = [expected.value, value, ttlMs];
      return this.#ask(() => this.#commands.setIfSame([name], args));
    }
    const expiration = { type: "PX", value: ttlMs } as const;
    const options = expected ? ({ expiration, condition: "NX" } as const) : { expiration };
    return (await this.#ask(() => this.#commands.set(name, value, options))) !== null;
  }

  async delete(key: string): Promise<void> {
    await this.#ask(() => this.#commands.del(this.#prefix + key));
  }

  async append(log: string, entry: string, limits: LogLimits): Promise<number> {
    const { most, mostCharacters = 0, ttlMs, keepsCount = false } = limits;
    const keys = [this.#prefix + log, this.#counterOf(log), `${this.#prefix}${log}:size`];
    const args = [entry, most, mostCharacters, ttlMs, keepsCount ? 1 : 0, this.#channelOf(log)];
    return this.#ask(() => this.#commands.appendEntry(keys, args));
  }

  async read(log: string, after: number): Promise<readonly StoredEntry[]> {
    const entries = await this.#ask(() =>
      this.#commands.xRange(this.#prefix + log, `(${after}-0`, "+", { COUNT: MOST_READ }),
    );
    return (entries ?? []).map(({ id, message }) => ({
      number: Number.parseInt(id, 10),
      text: message["e"] ?? "",
    }));
  }

  async last(log: string): Promise<number> {
    return Number((await this.#ask(() => this.#commands.get(this.#counterOf(log)))) ?? 0);
  }

  follow(log: string, after: number, listener: (entry: StoredEntry) => void): () => void {
    const channel = this.#channelOf(log);
    const follower = new Follower(this, log, after, listener);
    const hear = (message: string): void => follower.hear(message);
    const subscribe = (): void => {
      // While disconnected, the client would keep the subscription unanswered. `#found` calls this again.
      if (!this.#messages.isReady) return;
      this.#answerInTime(this.#messages, () => this.#messages.subscribe(channel, hear)).then(
        () => follower.catchUp(),
        () => undefined,
      );
    };
    this.#followers.set(follower, subscribe);
    subscribe();
    return () => {
      follower.stop();
      this.#followers.delete(follower);
      this.#leave(channel, hear);
    };
  }

  async take(bucket: string, { burst, perSecond }: Rate, most: number): Promise<TakenTokens> {
    const args = [burst, perSecond, most];
    return this.#ask(() => this.#commands.takeTokens([this.#prefix + bucket], args));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const follower of this.#followers.keys()) follower.stop();
    for (const client of [this.#commands, this.#messages]) if (client.isOpen) client.destroy();
  }

  /** If the connection is lost, this is repeated on the next, where the client renews all subscriptions it still has. */
  #leave(channel: string, hear: (message: string) => void): void {
    const leave = (): void => {
      if (!this.#messages.isReady) return;
      this.#answerInTime(this.#messages, () => this.#messages.unsubscribe(channel, hear)).then(
        () => this.#leaving.delete(leave),
        () => undefined,
      );
    };
    this.#leaving.add(leave);
    leave();
  }

  #counterOf(log: string): string {
    return `${this.#prefix}${log}:last`;
  }

  /** Unlike keys, channels are the same in all databases of a Redis. */
  #channelOf(log: string): string {
    return `${this.#prefix}${log}:${this.#commands.options.database ?? 0}`;
  }

  async #ask<T>(command: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING)
      throw new StoreUnavailable(new Error(`${MOST_WAITING} commands are already waiting for Redis`));
    this.#waiting += 1;
    try {
      return await this.#answerInTime(this.#commands, command);
    } catch (thrown) {
      throw new StoreUnavailable(thrown);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The client's own time-out does not fire while it keeps sending, so it would wait forever. */
  async #answerInTime<T>(client: Client, command: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#startOver(client), SILENCE_MS);
    try {
      return await command();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reconnects. Waiting commands fail; subscriptions are renewed with the connection. */
  #startOver(client: Client): void {
    this.#lost(new Error(`Redis has not answered a command for ${SILENCE_MS} ms`));
    client.destroy();
    client.connect().catch((error: unknown) => this.#lost(error as Error));
  }

  #lost(reason: Error): void {
    if (this.#isClosed || !this.#isThere) return;
    this.#isThere = false;
    this.#onStateChange(false, reason);
  }

  #found(): void {
    if (!this.#commands.isReady || !this.#messages.isReady) return;
    if (!this.#isThere) this.#onStateChange(true);
    this.#isThere = true;
    // Before subscribing: a new follower may follow the same log.
    for (const leave of this.#leaving) leave();
    for (const subscribe of this.#followers.values()) subscribe();
  }
}
