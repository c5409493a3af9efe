import { resolve } from "node:path";

import { defineOptions, ExitError, isObject } from "@suite/server-kit/program";

/** A rough check: the exact parser is in the outbound module, which is not loaded at the start. */
const HOST = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]*]+)(:\d{1,5})?$/i;

const checkHosts = (patterns: readonly string[]): string | undefined =>
  patterns.every((pattern) => HOST.test(pattern))
    ? undefined
    : "hosts such as example.com, *.example.com or example.com:8080";

const checkProxy = (url: string): string | undefined =>
  /^https?:\/\//i.test(url) && URL.canParse(url) ? undefined : "a URL such as http://proxy.example.com:3128";

export const options = defineOptions({
  allowHosts: {
    flag: "--allow-hosts",
    env: "SUITE_FETCH_ALLOW_HOSTS",
    type: "list",
    placeholder: "HOST",
    group: "Destinations",
    check: checkHosts,
    description:
      "Fetch from these hosts only: example.com, *.example.com for all below it, with or without a port.",
  },
  denyHosts: {
    flag: "--deny-hosts",
    env: "SUITE_FETCH_DENY_HOSTS",
    type: "list",
    placeholder: "HOST",
    group: "Destinations",
    check: checkHosts,
    description: "Never fetch from these hosts.",
  },
  allowPrivateHosts: {
    flag: "--allow-private-hosts",
    env: "SUITE_FETCH_ALLOW_PRIVATE_HOSTS",
    type: "list",
    placeholder: "HOST",
    group: "Destinations",
    check: checkHosts,
    description:
      "Hosts that may have private addresses, such as 127.0.0.1:8080 or wiki.corp. All others must be on the public internet.",
  },
  proxyUrl: {
    flag: "--proxy-url",
    env: "SUITE_FETCH_PROXY_URL",
    type: "string",
    placeholder: "URL",
    group: "Destinations",
    check: checkProxy,
    description:
      "Use this proxy instead of those in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. A proxy resolves names itself: the addresses cannot be checked here.",
  },
  dnsServers: {
    flag: "--dns-servers",
    env: "SUITE_FETCH_DNS_SERVERS",
    type: "list",
    placeholder: "ADDRESS",
    group: "Destinations",
    description: "Resolve names with these servers instead of the system's.",
  },
  hostHeaders: {
    env: "SUITE_FETCH_HOST_HEADERS",
    type: "string",
    secret: true,
    group: "Destinations",
    description:
      'Headers for certain hosts, as JSON: {"api.example.com": {"authorization": "Bearer …"}}. No other host gets them.',
  },
  ignoreRobotsTxt: {
    flag: "--ignore-robots-txt",
    env: "SUITE_FETCH_IGNORE_ROBOTS_TXT",
    type: "boolean",
    group: "Politeness",
    description: "Fetch even what robots.txt forbids.",
  },
  userAgent: {
    flag: "--user-agent",
    env: "SUITE_FETCH_USER_AGENT",
    type: "string",
    placeholder: "NAME",
    group: "Politeness",
    description: "The User-Agent header. Its first word is matched against robots.txt.",
  },
  perHost: {
    flag: "--per-host",
    env: "SUITE_FETCH_PER_HOST",
    type: "integer",
    default: 4,
    min: 1,
    max: 100,
    placeholder: "COUNT",
    group: "Politeness",
    description: "The most requests to one host at a time.",
  },
  minInterval: {
    flag: "--min-interval",
    env: "SUITE_FETCH_MIN_INTERVAL",
    type: "duration",
    default: 0,
    group: "Politeness",
    description: "The shortest time between two requests to one host.",
  },
  watchInterval: {
    flag: "--watch-interval",
    env: "SUITE_FETCH_WATCH_INTERVAL",
    type: "duration",
    default: 300_000,
    check: (ms: number): string | undefined => (ms >= 100 ? undefined : "a time of at least 100ms"),
    group: "Politeness",
    description: "How often to check whether a subscribed page has changed.",
  },
  maxBytes: {
    flag: "--max-bytes",
    env: "SUITE_FETCH_MAX_BYTES",
    type: "integer",
    default: 10_000_000,
    min: 1000,
    max: 1_000_000_000,
    placeholder: "BYTES",
    group: "Limits",
    description: "The largest page, after decompression.",
  },
  cacheSize: {
    flag: "--cache-size",
    env: "SUITE_FETCH_CACHE_SIZE",
    type: "integer",
    default: 64,
    min: 1,
    max: 100_000,
    placeholder: "MIB",
    group: "Limits",
    description: "The most that all cached pages may take.",
  },
  cacheDir: {
    flag: "--cache-dir",
    env: "SUITE_FETCH_CACHE_DIR",
    type: "string",
    toAbsolute: resolve,
    placeholder: "DIR",
    group: "Limits",
    description: "Keep cached pages here, across restarts. Without it, they are kept in memory.",
  },
});

export interface HostHeaders {
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Errors do not quote the value: it is a secret. */
export function parseHostHeaders(text: string | undefined): readonly HostHeaders[] {
  if (text === undefined) return [];
  const hint = 'Write JSON such as {"api.example.com": {"authorization": "Bearer …"}}.';
  const refuse = (problem: string): never => {
    throw new ExitError("configuration", `SUITE_FETCH_HOST_HEADERS ${problem}`, { hint });
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refuse("is not JSON");
  }
  if (!isObject(parsed)) return refuse("is not a JSON object");
  return Object.entries(parsed).map(([host, headers]) => {
    if (checkHosts([host]) !== undefined) return refuse(`names ${JSON.stringify(host)}, which is not a host`);
    return isHeaders(headers) ? { host, headers } : refuse(`has something else than headers for ${host}`);
  });
}

const isHeaders = (value: unknown): value is HostHeaders["headers"] =>
  isObject(value) && Object.values(value).every((header) => typeof header === "string");
