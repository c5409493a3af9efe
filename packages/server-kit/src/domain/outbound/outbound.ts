import type { UndiciClient } from "./undici-client.ts";
import { toRequestHeaders } from "./headers.ts";
import { type HostPattern, matchesAny, parseHostPattern, parseOutboundUrl, requireAllowed } from "./hosts.ts";
import { RedirectChain } from "./redirect-chain.ts";
import { HostQueues } from "./host-queues.ts";
import { lookupBySystem } from "./lookup.ts";
import { createProxyChoice } from "./proxies.ts";
import type { OutboundOptions, Send } from "./request.ts";
import { createFetchLike, type FetchLike } from "./to-fetch.ts";

/** All outbound HTTP requests go through this. */
export interface Outbound {
  readonly fetch: Send;
  /** For libraries that want a fetch function. */
  toFetch(): FetchLike;
  /** Throws for a URL that would be refused without a DNS lookup. */
  check(url: string | URL): URL;
  /** Whether a proxy resolves this URL's host name: then its address cannot be checked here. */
  isProxied(url: URL): boolean;
  close(): Promise<void>;
}

// Without deflate, which is ambiguous: some servers send it without the zlib header.
const ACCEPT_ENCODING = "gzip, br";

interface Credential {
  readonly pattern: HostPattern;
  readonly headers: Record<string, string>;
}

/** The only way out to the network: every request it makes keeps to these options, redirects included. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { userAgent, environment = {}, lookup = lookupBySystem, concurrency: total = 32 } = options;
  const { concurrency = 6, minIntervalMs = 0 } = options.perHost ?? {};
  const rules = {
    allow: (options.allowHosts ?? []).map(parseHostPattern),
    deny: (options.denyHosts ?? []).map(parseHostPattern),
    allowPrivate: (options.allowPrivateHosts ?? []).map(parseHostPattern),
  };
  const credentials = (options.credentials ?? []).map(({ host, headers }): Credential => ({
    pattern: parseHostPattern(host),
    headers: toRequestHeaders(headers),
  }));
  const chooseProxy = createProxyChoice(options.proxyUrl, environment);
  const queues = new HostQueues({ concurrency, minIntervalMs, total });
  let client: Promise<UndiciClient> | undefined;
  const connect = (): Promise<UndiciClient> =>
    (client ??= import("./undici-client.ts").then(
      ({ UndiciClient: Loaded }) =>
        new Loaded({
          rules,
          lookup,
          chooseProxy,
          connectTimeoutMs: Math.min(options.timeoutMs, 30_000),
        }),
    ));
  const toHeaders = (url: URL, own: Record<string, string>): Record<string, string> => {
    const isSafe = url.protocol === "https:" || matchesAny(url, rules.allowPrivate);
    const bound = isSafe ? credentials.filter(({ pattern }) => matchesAny(url, [pattern])) : [];
    return Object.assign(
      { "user-agent": userAgent, accept: "*/*", "accept-encoding": ACCEPT_ENCODING },
      own,
      ...bound.map(({ headers }) => headers),
    ) as Record<string, string>;
  };
  const check = (url: string | URL, base?: URL): URL => {
    const parsed = parseOutboundUrl(url, base);
    requireAllowed(parsed, rules);
    return parsed;
  };
  const shared = { options, check, queues, connect, toHeaders };
  const send: Send = (url, request = {}) => new RedirectChain(shared, request).run(url);
  return {
    fetch: send,
    toFetch: () => createFetchLike(send),
    check: (url) => check(url),
    isProxied: (url) => chooseProxy(url) !== undefined,
    close: async () => (await client)?.close(),
  };
}
