import { type CommandParser, createClient, defineScript, type RedisClientOptions } from "@redis/client";
import { StoreUnavailable } from "@suite/core";
import { inBackground, type Rate, type TakenTokens } from "@suite/core/replicas";

import { Follower } from "./follower.ts";
import { APPEND, DELETE_FIELD, SET_FIELDS, SET_IF_SAME, SIZE_FIELD, TAKE } from "./scripts.ts";
import type {
  Fields,
  LogLimits,
  RecordConditions,
  RecordOutcome,
  SetConditions,
  Store,
  StoredEntry,
} from "./store.ts";

/** For `openRedisStore`. */
export interface RedisOptions {
  /** `redis://host:port/database`, or `rediss://` for TLS. */
  readonly url: string;
  readonly password?: string;
  /** Other options of the client, such as certificates. The store sets time-outs and reconnection itself. */
  readonly client?: RedisClientOptions;
  /** Prefix of all keys: servers that are not replicas of each other need different ones. */
  readonly prefix: string;
  /** Called when Redis becomes unreachable, and when it is back. */
  readonly onStateChange?: (isUp: boolean, reason?: Error) => void;
  /** Called when an operation begins; what it returns is called when it ends, with what it threw. */
  readonly onOperation?: (name: string) => (thrown?: unknown) => void;
}

/** A connection on which a command gets no answer for this long is considered dead, a new one if it does not get ready. */
const SILENCE_MS = 3000;
/** The end of that time, which begins anew for a process that was stopped meanwhile: it has to read what has arrived. */
const LAST_LOOK_MS = 1000;
/** Commands that may wait for an answer: about one for each request that a server handles at once. */
const MOST_WAITING = 10_000;
const PING_MS = 1000;
const LONGEST_PAUSE_MS = 1000;
/** How long start-up waits for Redis. After that the server starts anyway, and uses Redis once it is reachable. */
const FIRST_CONNECTION_MS = 2000;

/** Entries per read of a log. */
const MOST_READ = 500;
/** In characters: what is larger, or may be, goes over a connection of its own. Everybody's small commands wait on the other. */
const LARGE = 64 * 1024;
const OUTCOMES: readonly RecordOutcome[] = ["gone", "set", "full"];

type Client = ReturnType<typeof toClient>;

/** Instead of the client's own time-outs: those fire before it reads what has come during a pause of this process. */
function afterSilence(giveUp: () => void): () => void {
  let timer = setTimeout(() => (timer = setTimeout(giveUp, LAST_LOOK_MS)), SILENCE_MS - LAST_LOOK_MS);
  return () => clearTimeout(timer);
}

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
  setFields: toScript(SET_FIELDS, 1, (reply): RecordOutcome => OUTCOMES[Number(reply)] ?? "gone"),
  deleteField: toScript(DELETE_FIELD, 1, () => undefined),
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
    // No limit in the client: it would reject pings too, and that would look like a failure of Redis.
    commandsQueueMaxLength: 0,
    // `afterSilence` instead.
    commandOptions: { ...client?.commandOptions, timeout: 0 },
    socket: {
      ...client?.socket,
      connectTimeout: SILENCE_MS,
      socketTimeout: 0,
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
  readonly #prefix: string;
  readonly #commands: Client;
  readonly #large: Client;
  readonly #messages: Client;
  readonly #clients: readonly Client[];
  readonly #pings: ReturnType<typeof setInterval>;
  /** Each with the function that subscribes it, which does nothing if it is already subscribed. */
  readonly #followers = new Map<Follower, () => void>();
  /** Functions that unsubscribe stopped followers, kept until Redis has confirmed. */
  readonly #leaving = new Set<() => void>();
  readonly #onStateChange: (isUp: boolean, reason?: Error) => void;
  readonly #onOperation: (name: string) => (thrown?: unknown) => void;
  #waiting = 0;
  #isUp = true;
  #isClosed = false;

  constructor(options: RedisOptions) {
    this.#prefix = options.prefix;
    this.#onStateChange = options.onStateChange ?? (() => undefined);
    this.#onOperation = options.onOperation ?? (() => () => undefined);
    this.#commands = toClient(options);
    this.#large = toClient(options);
    this.#messages = toClient(options);
    this.#clients = [this.#commands, this.#large, this.#messages];
    for (const client of this.#clients) {
      client.on("error", (error: Error) => this.#lost(error));
      client.on("ready", () => this.#found());
      let stopWaiting = (): void => undefined;
      client.on("connect", () => (stopWaiting = afterSilence(() => this.#startOver(client))));
      for (const event of ["ready", "error", "end"]) client.on(event, () => stopWaiting());
    }
    this.#pings = inBackground(
      setInterval(() => {
        for (const client of this.#clients) if (client.isReady) void this.#ping(client);
      }, PING_MS),
    );
  }

  async open(): Promise<void> {
    const connected = Promise.all(this.#clients.map((client) => client.connect())).catch((error: unknown) =>
      this.#lost(error as Error),
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, FIRST_CONNECTION_MS)));
    await Promise.race([connected, patience]);
    clearTimeout(timer);
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#ask("get", 0, (client) => client.get(this.#prefix + key))) ?? undefined;
  }

  async set(key: string, value: string, { ttlMs, expected }: SetConditions): Promise<boolean> {
    const name = this.#prefix + key;
    if (expected?.value !== undefined) {
      const args = [expected.value, value, ttlMs];
      return this.#ask("set", value.length, (client) => client.setIfSame([name], args));
    }
    const expiration = { type: "PX", value: ttlMs } as const;
    const options = expected ? ({ expiration, condition: "NX" } as const) : { expiration };
    return (await this.#ask("set", value.length, (client) => client.set(name, value, options))) !== null;
  }

  async delete(key: string): Promise<void> {
    await this.#ask("delete", 0, (client) => client.del(this.#prefix + key));
  }

  async setFields(record: string, fields: Fields, conditions: RecordConditions): Promise<RecordOutcome> {
    const { ttlMs, mostCharacters, isNew = false } = conditions;
    const args = [ttlMs, mostCharacters, isNew ? 1 : 0, ...Object.entries(fields).flat()];
    return this.#ask("setFields", 0, (client) => client.setFields([this.#prefix + record], args));
  }

  async deleteField(record: string, field: string): Promise<void> {
    await this.#ask("deleteField", 0, (client) => client.deleteField([this.#prefix + record], [field]));
  }

  async fields(record: string, names?: readonly string[]): Promise<Fields | undefined> {
    const key = this.#prefix + record;
    if (names === undefined) {
      // Large, because a session may have thousands of subscriptions.
      const all = await this.#ask("fields", LARGE, (client) => client.hGetAll(key));
      const { [SIZE_FIELD]: _, ...fields } = all;
      return Object.keys(fields).length > 0 ? fields : undefined;
    }
    const values = await this.#ask("fields", 0, (client) => client.hmGet(key, [...names]));
    const found = names.flatMap((name, index) => {
      const value = values[index];
      return typeof value === "string" ? [[name, value] as const] : [];
    });
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  }

  async renew(record: string, ttlMs: number): Promise<void> {
    await this.#ask("renew", 0, (client) => client.pExpire(this.#prefix + record, ttlMs));
  }

  async append(log: string, entry: string, limits: LogLimits): Promise<number> {
    const { most, mostCharacters = 0, ttlMs, keepsCount = false } = limits;
    const keys = [this.#prefix + log, this.#counterOf(log), `${this.#prefix}${log}:size`];
    const args = [entry, most, mostCharacters, ttlMs, keepsCount ? 1 : 0, this.#channelOf(log)];
    return this.#ask("append", entry.length, (client) => client.appendEntry(keys, args));
  }

  async read(log: string, after: number): Promise<readonly StoredEntry[]> {
    const entries = await this.#ask("read", LARGE, (client) =>
      client.xRange(this.#prefix + log, `(${after}-0`, "+", { COUNT: MOST_READ }),
    );
    return (entries ?? []).map(({ id, message }) => ({
      number: Number.parseInt(id, 10),
      text: message["e"] ?? "",
    }));
  }

  async last(log: string): Promise<number> {
    return Number((await this.#ask("last", 0, (client) => client.get(this.#counterOf(log)))) ?? 0);
  }

  follow(log: string, after: number, listener: (entry: StoredEntry) => void): () => void {
    const channel = this.#channelOf(log);
    const follower = new Follower(this, log, after, listener);
    const hear = (message: string): void => follower.on(message);
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
    return this.#ask("take", 0, (client) => client.takeTokens([this.#prefix + bucket], args));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#pings);
    for (const follower of this.#followers.keys()) follower.stop();
    for (const client of this.#clients) if (client.isOpen) client.destroy();
  }

  /** If the connection is lost, this is repeated on the next, where the client renews all subscriptions it still has. */
  #leave(channel: string, listener: (message: string) => void): void {
    const leave = (): void => {
      if (!this.#messages.isReady) return;
      this.#answerInTime(this.#messages, () => this.#messages.unsubscribe(channel, listener)).then(
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

  async #ask<T>(name: string, characters: number, command: (client: Client) => Promise<T>): Promise<T> {
    const client = characters < LARGE ? this.#commands : this.#large;
    const finish = this.#onOperation(name);
    this.#waiting += 1;
    try {
      if (this.#waiting > MOST_WAITING)
        throw new Error(`${MOST_WAITING} commands are already waiting for Redis`);
      const answer = await this.#answerInTime(client, () => command(client));
      finish();
      return answer;
    } catch (thrown) {
      const unavailable = new StoreUnavailable(thrown);
      finish(unavailable);
      throw unavailable;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #ping(client: Client): Promise<void> {
    try {
      await this.#answerInTime(client, () => client.sendCommand(["PING"]));
      // If Redis had rejected a ping, it is back without a new connection.
      if (!this.#isUp) this.#found();
    } catch (error) {
      this.#lost(error as Error);
    }
  }

  async #answerInTime<T>(client: Client, command: () => Promise<T>): Promise<T> {
    const stopWaiting = afterSilence(() => this.#startOver(client));
    try {
      return await command();
    } finally {
      stopWaiting();
    }
  }

  /** Reconnects. Waiting commands fail; subscriptions are renewed with the connection. */
  #startOver(client: Client): void {
    this.#lost(new Error(`Redis has not answered for ${SILENCE_MS} ms`));
    client.destroy();
    // Not at once: a client that is still connecting would not notice that it was stopped, and then connect twice.
    setTimeout(() => {
      if (!this.#isClosed) client.connect().catch((error: unknown) => this.#lost(error as Error));
    });
  }

  #lost(reason: Error): void {
    if (this.#isClosed || !this.#isUp) return;
    this.#isUp = false;
    this.#onStateChange(false, reason);
  }

  #found(): void {
    if (!this.#clients.every((client) => client.isReady)) return;
    if (!this.#isUp) this.#onStateChange(true);
    this.#isUp = true;
    // Before subscribing: a new follower may follow the same log.
    for (const leave of this.#leaving) leave();
    for (const subscribe of this.#followers.values()) subscribe();
  }
}
