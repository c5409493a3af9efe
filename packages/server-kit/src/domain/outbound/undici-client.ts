import type { Readable } from "node:stream";
import type { Agent as AgentTypes, Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import DispatcherBase from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";
import api from "undici/lib/api/index.js";
import buildConnector from "undici/lib/core/connect.js";

import { type HostRules, requireAllowedAddress } from "./hosts.ts";
import { createCheckedLookup, type Lookup } from "./lookup.ts";
import { type Connect, createPool, createProxyPool, createTunnelPool } from "./undici-pools.ts";

// Undici's index does this too: a ProxyAgent opens its tunnels with these methods.
Object.assign(DispatcherBase.prototype, api);

export interface UndiciClientOptions {
  readonly rules: HostRules;
  readonly lookup: Lookup;
  readonly chooseProxy: (url: URL) => string | undefined;
  readonly connectTimeoutMs: number;
}

export interface Hop {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface HopAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable & { dump(options: { limit: number; signal: AbortSignal }): Promise<void> };
  readonly address: string | undefined;
  readonly isProxied: boolean;
}

const KEEP_ALIVE_MS = 10_000;
const MOST_ADDRESSES = 1000;

/**
 * Undici's timeouts are off: they restart with every byte, and the request has one deadline for everything. Connections are
 * not limited: HostQueues already limits requests, and undici ignores the signal of a request that waits for a connection.
 */
const LIMITS: AgentTypes.Options = {
  pipelining: 1,
  maxHeaderSize: 32_768,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
};

export class UndiciClient {
  readonly #options: UndiciClientOptions;
  readonly #direct: Dispatcher;
  readonly #proxies = new Map<string, Dispatcher>();
  /** The last address connected to, by origin. */
  readonly #addresses = new Map<string, string>();

  constructor(options: UndiciClientOptions) {
    this.#options = options;
    this.#direct = new Agent({
      ...LIMITS,
      factory: (origin, limits) => createPool(origin, limits, this.#createConnect(new URL(origin))),
    });
  }

  /** Sends one request without following redirects. The body is still encoded. */
  async send(url: URL, { method, headers, body, signal }: Hop): Promise<HopAnswer> {
    const proxy = this.#options.chooseProxy(url);
    const dispatcher = proxy === undefined ? this.#direct : this.#proxyAgent(proxy);
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: body ?? null,
      signal,
      // Never pause undici's parser: if the connection ends meanwhile, it crashes the process. `decodeBody` limits the bytes.
      highWaterMark: Number.MAX_SAFE_INTEGER,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.body,
      address: proxy === undefined ? this.#addresses.get(url.origin) : undefined,
      isProxied: proxy !== undefined,
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#direct, ...this.#proxies.values()].map((each) => each.destroy()));
  }

  /** Checks every address before connecting, and again the one that the socket is connected to. */
  #createConnect(origin: URL): Connect {
    const { rules, lookup, connectTimeoutMs } = this.#options;
    const check = (address: string): void => requireAllowedAddress(address, origin, rules);
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      lookup: createCheckedLookup(lookup, check),
    });
    return (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        try {
          const address = socket.remoteAddress ?? "";
          check(address);
          if (this.#addresses.size >= MOST_ADDRESSES) this.#addresses.clear();
          this.#addresses.set(origin.origin, address);
        } catch (refusal) {
          socket.destroy();
          return callback(refusal as Error, null);
        }
        callback(null, socket);
      });
  }

  #proxyAgent(uri: string): Dispatcher {
    const known = this.#proxies.get(uri);
    if (known) return known;
    const { href } = new URL(uri);
    const toProxy = (origin: string | URL, options: object): Dispatcher =>
      createProxyPool(origin, { ...LIMITS, ...options });
    const agent = new ProxyAgent({
      ...LIMITS,
      uri: href,
      // No tunnel for plain http: most proxies allow tunnels to port 443 only.
      proxyTunnel: false,
      clientFactory: toProxy,
      factory: (origin, options) =>
        origin === href ? toProxy(origin, options) : createTunnelPool(origin, options),
    });
    this.#proxies.set(uri, agent);
    return agent;
  }
}
