import { resolve } from "node:path";

import { checkAddress } from "./address.ts";
import type { OptionTable } from "./option.ts";
import { toolOptions } from "./tool-options.ts";
import { checkHosts, checkOrigins } from "./web-names.ts";

const checkUrl = (text: string): string | undefined =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "a URL";

/** Refuses a password in the URL: any user of the machine can read a process's flags. */
const checkStore = (text: string): string | undefined =>
  /^rediss?:\/\//.test(text) && URL.canParse(text) && new URL(text).password === ""
    ? undefined
    : "a redis:// or rediss:// URL, with its password in SUITE_STORE_PASSWORD";

const PER_CALLER = /^(requests|streams|sessions|body)=([1-9]\d{0,14})$/;

const checkPerCaller = (items: readonly string[]): string | undefined =>
  items.every((item) => PER_CALLER.test(item))
    ? undefined
    : "requests=, streams=, sessions= or body= and a number";

const httpOption = {
  http: {
    flag: "--http",
    env: "SUITE_HTTP",
    type: "string",
    group: "HTTP",
    placeholder: "[HOST:]PORT",
    check: (text: string): string | undefined => checkAddress(text),
    description:
      "Serve over HTTP instead of standard streams, on 127.0.0.1 unless a host is given. Port 0 takes any free one; the URL is printed to standard error.",
  },
} as const;

const httpOptions = {
  sse: {
    flag: "--sse",
    env: "SUITE_SSE",
    type: "boolean",
    description: "Serve the HTTP+SSE transport of 2024-11-05 too, at /sse.",
  },
  websocket: {
    flag: "--websocket",
    env: "SUITE_WEBSOCKET",
    type: "boolean",
    description: "Accept WebSocket connections with the subprotocol mcp too.",
  },
  allowedOrigins: {
    flag: "--allowed-origin",
    env: "SUITE_ALLOWED_ORIGINS",
    type: "list",
    placeholder: "ORIGIN",
    check: (items: readonly string[]): string | undefined => checkOrigins(items),
    description: "A web origin that may call from a browser. May be repeated.",
  },
  allowedHosts: {
    flag: "--allowed-host",
    env: "SUITE_ALLOWED_HOSTS",
    type: "list",
    placeholder: "NAME",
    check: (items: readonly string[]): string | undefined => checkHosts(items),
    description:
      "A host name that requests may be addressed to, besides those of loopback and of --auth-resource. May be repeated.",
  },
  maxRequests: {
    flag: "--max-requests",
    env: "SUITE_MAX_REQUESTS",
    type: "integer",
    default: 10_000,
    min: 1,
    description:
      "How many requests and streams there may be at once in this process. No caller may have more than a quarter, or what --per-caller says.",
  },
  maxSessions: {
    flag: "--max-sessions",
    env: "SUITE_MAX_SESSIONS",
    type: "integer",
    default: 10_000,
    min: 1,
    description:
      "How many sessions there may be at once in this process (revisions up to 2025-11-25). No caller may have more than a quarter, or what --per-caller says.",
  },
  maxBody: {
    flag: "--max-body",
    env: "SUITE_MAX_BODY",
    type: "integer",
    default: 67_108_864,
    min: 1024,
    placeholder: "BYTES",
    description: "The largest request, in bytes.",
  },
  perCaller: {
    flag: "--per-caller",
    env: "SUITE_PER_CALLER",
    type: "list",
    placeholder: "WHAT=NUMBER",
    check: (items: readonly string[]): string | undefined => checkPerCaller(items),
    description:
      "How much each caller may have at once, across all replicas: requests=, streams=, sessions=, or body= in bytes. The default is a quarter of what one process accepts. May be repeated, or a list with commas.",
  },
  requestsPerMinute: {
    flag: "--requests-per-minute",
    env: "SUITE_REQUESTS_PER_MINUTE",
    type: "integer",
    min: 1,
    description: "How many requests each caller may send in a minute, across all replicas.",
  },
  grace: {
    flag: "--grace",
    env: "SUITE_GRACE",
    type: "duration",
    default: 1500,
    check: (ms: number): string | undefined => (ms <= 3_600_000 ? undefined : "at most 1h"),
    description: "How long requests in flight may take to finish once the server is told to stop.",
  },
  store: {
    flag: "--store",
    env: "SUITE_STORE",
    type: "string",
    placeholder: "URL",
    check: (text: string): string | undefined => checkStore(text),
    description:
      "Where several replicas keep what they share: redis://HOST:PORT, or rediss:// for TLS. Any of them can then continue what another began.",
  },
  storePassword: {
    env: "SUITE_STORE_PASSWORD",
    type: "string",
    secret: true,
    description: "The password of the store.",
  },
  metrics: {
    flag: "--metrics",
    env: "SUITE_METRICS",
    type: "string",
    placeholder: "[HOST:]PORT",
    check: (text: string): string | undefined => checkAddress(text),
    description: "Where to offer /metrics for Prometheus, on 127.0.0.1 unless a host is given.",
  },
} as const;

const authOptions = {
  insecureNoAuth: {
    flag: "--insecure-no-auth",
    env: "SUITE_INSECURE_NO_AUTH",
    type: "boolean",
    description: "Listen beyond this machine without authorization: anyone who can reach it can call it.",
  },
  authIssuer: {
    flag: "--auth-issuer",
    env: "SUITE_AUTH_ISSUER",
    type: "string",
    placeholder: "URL",
    check: (text: string): string | undefined => checkUrl(text),
    description: "The authorization server whose access tokens are accepted.",
  },
  authResource: {
    flag: "--auth-resource",
    env: "SUITE_AUTH_RESOURCE",
    type: "string",
    placeholder: "URL",
    check: (text: string): string | undefined => checkUrl(text),
    description: "The URL of this server as its clients know it. Optional on loopback.",
  },
  authAudience: {
    flag: "--auth-audience",
    env: "SUITE_AUTH_AUDIENCE",
    type: "string",
    description: "What access tokens for this server carry in aud, if not its URL.",
  },
  authIntrospectionEndpoint: {
    flag: "--auth-introspection-endpoint",
    env: "SUITE_AUTH_INTROSPECTION_ENDPOINT",
    type: "string",
    placeholder: "URL",
    check: (text: string): string | undefined => checkUrl(text),
    description: "Where to check each token, instead of reading it as a JWT.",
  },
  authIntrospectionClientId: {
    flag: "--auth-introspection-client-id",
    env: "SUITE_AUTH_INTROSPECTION_CLIENT_ID",
    type: "string",
    placeholder: "ID",
    needs: "authIntrospectionEndpoint",
    description: "The client id to use there.",
  },
  authIntrospectionClientSecret: {
    env: "SUITE_AUTH_INTROSPECTION_CLIENT_SECRET",
    type: "string",
    secret: true,
    description: "The secret of that client id.",
  },
} as const;

const programOptions = {
  logLevel: {
    flag: "--log-level",
    env: "SUITE_LOG_LEVEL",
    type: "enum",
    values: ["debug", "info", "warning", "error", "off"],
    default: "info",
    description: "The lowest level written to standard error.",
  },
  logFormat: {
    flag: "--log-format",
    env: "SUITE_LOG_FORMAT",
    type: "enum",
    values: ["text", "json"],
    default: "text",
    description: "How lines on standard error are written: text, or json with trace ids.",
  },
  config: {
    flag: "--config",
    env: "SUITE_CONFIG",
    type: "string",
    toAbsolute: (folder: string, path: string): string => resolve(folder, path),
    placeholder: "FILE",
    isCommand: true,
    description:
      "A JSON file with settings, by the names that --print-config shows. Paths in it are relative to that file.",
  },
  printConfig: {
    flag: "--print-config",
    type: "boolean",
    isCommand: true,
    description: "Print every setting and where it came from, and exit.",
  },
  printHostConfig: {
    flag: "--print-host-config",
    type: "enum",
    values: [
      "claude-desktop",
      "claude-code",
      "vscode",
      "cursor",
      "windsurf",
      "zed",
      "gemini-cli",
      "codex",
      "opencode",
      "cline",
      "jetbrains",
      "goose",
      "lm-studio",
    ],
    placeholder: "HOST",
    isCommand: true,
    description:
      "Print configuration that starts this command line in a host, and exit: claude-desktop, claude-code, vscode, cursor, windsurf, zed, gemini-cli, codex, opencode, cline, jetbrains, goose, lm-studio. With --http, for a server that runs by itself.",
  },
  hostCommand: {
    flag: "--host-command",
    type: "enum",
    values: ["npx", "node"],
    isCommand: true,
    needs: "printHostConfig",
    description:
      "How the host starts it: npx gets the published package, node runs this very file. The default is npx, or node in a clone.",
  },
  printSkills: {
    flag: "--print-skills",
    type: "string",
    toAbsolute: (folder: string, path: string): string => resolve(folder, path),
    placeholder: "DIR",
    isCommand: true,
    description:
      "Write this server's skills into a directory, for hosts that read skills from files, and exit. Files that differ are left as they are, and named.",
  },
  doctor: {
    flag: "--doctor",
    type: "boolean",
    isCommand: true,
    description: "Print what this server needs and what it found, and exit: with 69 if something is missing.",
  },
  json: {
    flag: "--json",
    type: "boolean",
    isCommand: true,
    needs: ["printConfig", "doctor"],
    description: "Print as JSON.",
  },
  version: {
    flag: "--version",
    short: "-v",
    type: "boolean",
    isCommand: true,
    description: "Print the version, and exit.",
  },
  help: {
    flag: "--help",
    short: "-h",
    type: "boolean",
    isCommand: true,
    description: "Print this, and exit.",
  },
} as const;

/** Adds what all options of a table have in common. */
const withAll = <Table extends OptionTable>(
  common: { readonly group: string; readonly needs?: string },
  table: Table,
): Table =>
  Object.fromEntries(Object.entries(table).map(([key, spec]) => [key, { ...common, ...spec }])) as Table;

type GeneralOptions = typeof httpOption & typeof httpOptions & typeof authOptions & typeof programOptions;

/** Options of every program. */
export const generalOptions: GeneralOptions = {
  ...httpOption,
  ...withAll({ group: "HTTP", needs: "http" }, httpOptions),
  ...withAll({ group: "Authorization", needs: "http" }, authOptions),
  ...withAll({ group: "General" }, programOptions),
};

/** The options that every server has. */
export type StandardOptions = typeof toolOptions & GeneralOptions;

/** Options of every server of the suite. A server's own table may override entries by key. */
export const standardOptions: StandardOptions = {
  ...withAll({ group: "Tools" }, toolOptions),
  ...generalOptions,
};
