import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Era } from "@suite/core";

const INFO = { name: "watcher", version: "1" };
const MODERN = "2026-07-28";
const URI = "sqlite://watched/table/latest";
const UPDATED = "notifications/resources/updated";
const PAUSE_MS = 100;
const MOST_DESCRIBED = 10;
/** Whoever dies with a request does not answer it. */
const ATTEMPT = { timeout: 10_000 };
const PATIENT = {
  initialReconnectionDelay: PAUSE_MS,
  maxReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 1000,
};

interface Read {
  readonly contents: readonly { readonly uri: string; readonly text?: unknown }[];
}

interface Watching {
  readonly read: () => Promise<Read>;
  readonly close: () => Promise<void>;
  /** What became of its latest streams. */
  readonly describe: () => string;
}

/**
 * An official client that watches a number, and reads it only when it has a reason to: what it does not know in the end, it was
 * not told.
 */
export class Watcher {
  /** In the order in which it was read. */
  readonly seen: number[] = [];
  readonly era: Era;
  #watching: Watching | undefined;
  /** How often it was told of a change. */
  #told = 0;
  #isStale = false;
  #isReading = false;

  private constructor(era: Era) {
    this.era = era;
  }

  static async open(era: Era, url: string): Promise<Watcher> {
    const watcher = new Watcher(era);
    watcher.#watching = await (era === "legacy" ? watchV1 : watchV2)(url, () => watcher.#look());
    return watcher;
  }

  knows(number: number): boolean {
    return (this.seen.at(-1) ?? -1) >= number;
  }

  /** For whoever wonders why it does not know. */
  toString(): string {
    const last = this.seen.at(-1) ?? "nothing";
    return `${this.era}: told ${this.#told} times, has read ${last} last; ${this.#watching?.describe() ?? "never opened"}`;
  }

  async close(): Promise<void> {
    await this.#watching?.close();
  }

  #look(): void {
    this.#told += 1;
    this.#isStale = true;
    if (!this.#isReading) void this.#read();
  }

  /** Whoever was told of a change asks until somebody answers. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#isStale) {
      this.#isStale = false;
      const number = await this.#watching
        ?.read()
        .then(numberIn)
        .catch(() => undefined);
      if (number !== undefined) this.seen.push(number);
      else {
        this.#isStale = true;
        await pause();
      }
    }
    this.#isReading = false;
  }
}

/** Resumes its stream wherever nginx leads it, and trusts that nothing was left out. */
async function watchV1(url: string, look: () => void): Promise<Watching> {
  const client = new ClientV1(INFO);
  const streams: unknown[] = [];
  const noted: typeof fetch = async (input, init) => {
    const answer = fetch(input, init);
    if (init?.method === "GET") streams.push(await answer.then(({ status }) => status, String));
    return answer;
  };
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method === UPDATED) look();
  };
  await client.connect(new TransportV1(new URL(url), { reconnectionOptions: PATIENT, fetch: noted }));
  await client.subscribeResource({ uri: URI });
  return {
    read: () => client.readResource({ uri: URI }, ATTEMPT),
    close: () => client.close(),
    describe: () => `streams: ${streams.slice(-MOST_DESCRIBED).join(", ")}`,
  };
}

/** Nothing can be resumed in this era: whoever listens anew reads what there is, and hears of what follows. */
async function watchV2(url: string, look: () => void): Promise<Watching> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: MODERN } } });
  client.setNotificationHandler(UPDATED, look);
  await client.connect(new TransportV2(new URL(url)));
  let isOver = false;
  let times = 0;
  const listen = async (): Promise<void> => {
    const subscription = await client.listen({ resourceSubscriptions: [URI] }, ATTEMPT);
    times += 1;
    look();
    void subscription.closed.then(listenAgain);
  };
  const listenAgain = async (): Promise<void> => {
    if (isOver) return;
    await listen().catch(async () => {
      await pause();
      await listenAgain();
    });
  };
  await listen();
  return {
    read: () => client.readResource({ uri: URI }, ATTEMPT),
    close() {
      isOver = true;
      return client.close();
    },
    describe: () => `has begun to listen ${times} times`,
  };
}

function numberIn({ contents }: Read): number | undefined {
  const table = JSON.parse(String(contents[0]?.text)) as { sample: { rows: number[][] } };
  return table.sample.rows[0]?.[0];
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
