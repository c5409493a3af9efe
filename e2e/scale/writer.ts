import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Era } from "@suite/core";

const INFO = { name: "writer", version: "1" };
const KEY_META = "dev.suite/idempotencyKey";
const MODERN = "2026-07-28";
/** For one attempt: whoever dies with the request does not answer. */
const ATTEMPT_MS = 10_000;
const PAUSE_MS = 100;

interface Failure {
  readonly code: string;
  readonly retryable: boolean;
}

interface ToolAnswer {
  readonly isError?: boolean | undefined;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

type Call = (
  name: string,
  args: Record<string, unknown>,
  meta: Record<string, string>,
) => Promise<ToolAnswer>;

interface Connected {
  readonly call: Call;
  readonly close: () => Promise<void>;
}

/** An official client that does not give up: what became of each of its calls is known in the end. */
export class Writer {
  /** Answered with success. */
  readonly acknowledged: string[] = [];
  /** Answered with the word that nobody knows. */
  readonly unknown: string[] = [];
  readonly failures: string[] = [];
  readonly #name: string;
  readonly #connect: () => Promise<Connected>;
  #connection: Promise<Connected> | undefined;
  #next = 0;

  constructor(name: string, url: string, era: Era) {
    this.#name = name;
    this.#connect = () => (era === "legacy" ? connectV1(url) : connectV2(url));
  }

  async write(): Promise<void> {
    const key = this.#toKey();
    await this.#insist(key, {
      database: "calls",
      query: "INSERT INTO calls (key) VALUES (?)",
      params: [key],
    });
  }

  /** Changes the number that is watched. */
  async setLatest(number: number): Promise<void> {
    const query = "UPDATE latest SET number = ?";
    await this.#insist(this.#toKey(), { database: "watched", query, params: [number] });
  }

  #toKey(): string {
    return `${this.#name}-${this.#next++}`;
  }

  /** One call, made as often as it takes with the same key. */
  async #insist(key: string, args: Record<string, unknown>): Promise<void> {
    for (;;) {
      try {
        const { call } = await (this.#connection ??= this.#begin());
        const { isError, _meta } = await call("write_query", args, { [KEY_META]: key });
        if (isError !== true) return void this.acknowledged.push(key);
        const failure = _meta?.["dev.suite/error"] as Failure | undefined;
        this.failures.push(failure?.code ?? "no code");
        if (failure?.retryable !== true) return void this.unknown.push(key);
      } catch (thrown) {
        this.failures.push(String(thrown));
        // A session that is gone.
        if (/404|session|fetch failed|initialize|Not connected/i.test(String(thrown))) await this.close();
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** A connection that fails is begun anew by the next attempt. */
  #begin(): Promise<Connected> {
    return this.#connect().catch((thrown: unknown) => {
      this.#connection = undefined;
      throw thrown;
    });
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    const { close } = (await connection?.catch(() => undefined)) ?? {};
    await close?.().catch(() => undefined);
  }
}

async function connectV1(url: string): Promise<Connected> {
  const client = new ClientV1(INFO);
  await client.connect(new TransportV1(new URL(url)));
  return {
    call: async (name, args, _meta) =>
      client.callTool({ name, arguments: args, _meta }, undefined, { timeout: ATTEMPT_MS }),
    close: () => client.close(),
  };
}

async function connectV2(url: string): Promise<Connected> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: MODERN } } });
  await client.connect(new TransportV2(new URL(url)));
  return {
    call: async (name, args, _meta) =>
      client.callTool({ name, arguments: args, _meta }, { timeout: ATTEMPT_MS }),
    close: () => client.close(),
  };
}
