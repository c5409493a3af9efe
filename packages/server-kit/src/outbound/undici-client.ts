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

// As undici's own index does; the tunnels of a ProxyAgent are opened with these.
Object.assign(DispatcherBase.prototype, api);

/** What is loaded with undici, on the first request. */
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

const MAX_HEADER_BYTES = 32_768;
const KEEP_ALIVE_MS = 10_000;
const MOST_ADDRESSES = 1000;

export class UndiciClient {
  readonly #options: UndiciClientOptions;
  readonly #direct: Dispatcher;
  readonly #proxies = new Map<string, Dispatcher>();
  /** Where the connections of each origin went last. */
  readonly #addresses = new Map<string, string>();

  constructor(options: UndiciClientOptions) {
    this.#options = options;
    this.#direct = new Agent({
      ...this.#limits(),
      factory: (origin, limits) => createPool(origin, limits, this.#createConnect(new URL(origin))),
    });
  }

  /** One exchange, without following anything. The body is as it came, still encoded. */
  async send(url: URL, { method, headers, body, signal }: Hop): Promise<HopAnswer> {
    const proxy = this.#options.chooseProxy(url);
    const dispatcher = proxy === undefined ? this.#direct : this.#proxyAgent(proxy);
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method,
      headers,
      body: body ?? null,
      signal,
      // A slow reader would pause undici's parser, which ends the process if the connection ends meanwhile. Bytes have their own limit.
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

  /**
   * Time is kept by one deadline for the whole request; undici's own timers start anew with every byte. Connections are not
   * counted: requests are, before they come here, and one that waits for a connection would not hear its signal.
   */
  #limits(): AgentTypes.Options {
    return {
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    };
  }

  /** Checks every address before it is connected to, and once more what the socket really reached. */
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
    let agent = this.#proxies.get(uri);
    if (agent === undefined) {
      agent = this.#createProxyAgent(uri);
      this.#proxies.set(uri, agent);
    }
    return agent;
  }

  #createProxyAgent(uri: string): Dispatcher {
    const { href } = new URL(uri);
    const limits = this.#limits();
    const toProxy = (origin: string | URL, options: object): Dispatcher =>
      createProxyPool(origin, { ...limits, ...options });
    return new ProxyAgent({
      ...limits,
      uri: href,
      // Without a tunnel for plain http: most proxies open tunnels to port 443 only.
      proxyTunnel: false,
      clientFactory: toProxy,
      factory: (origin, options) =>
        origin === href ? toProxy(origin, options) : createTunnelPool(origin, options),
    });
  }
}
