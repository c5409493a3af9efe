import { checkAddress } from "./address.ts";
import { contractOptions } from "./contract-options.ts";

const checkUrl = (text: string): string | undefined =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "a URL";

/** Everybody on the machine can read a flag: a password has no place in it. */
const checkStore = (text: string): string | undefined =>
  /^rediss?:\/\//.test(text) && URL.canParse(text) && new URL(text).password === ""
    ? undefined
    : "a redis:// or rediss:// URL, with its password in SUITE_STORE_PASSWORD";

/** What every program takes. */
export const generalOptions = {
  http: {
    flag: "--http",
    env: "SUITE_HTTP",
    type: "string",
    placeholder: "[HOST:]PORT",
    group: "HTTP",
    check: (text: string): string | undefined => checkAddress(text),
    description:
      "Serve over HTTP instead of standard streams, on 127.0.0.1 unless a host is given. Port 0 takes any free one; the URL is printed to standard error.",
  },
  sse: {
    flag: "--sse",
    env: "SUITE_SSE",
    type: "boolean",
    group: "HTTP",
    needs: "http",
    description: "Serve the HTTP+SSE transport of 2024-11-05 too, at /sse.",
  },
  websocket: {
    flag: "--websocket",
    env: "SUITE_WEBSOCKET",
    type: "boolean",
    group: "HTTP",
    needs: "http",
    description: "Accept WebSocket connections with the subprotocol mcp too.",
  },
  allowedOrigins: {
    flag: "--allowed-origin",
    env: "SUITE_ALLOWED_ORIGINS",
    type: "list",
    placeholder: "ORIGIN",
    group: "HTTP",
    needs: "http",
    description: "A web origin that may call from a browser. May be repeated.",
  },
  allowedHosts: {
    flag: "--allowed-host",
    env: "SUITE_ALLOWED_HOSTS",
    type: "list",
    placeholder: "NAME",
    group: "HTTP",
    needs: "http",
    description: "A host name that requests may be addressed to, besides those of loopback. May be repeated.",
  },
  store: {
    flag: "--store",
    env: "SUITE_STORE",
    type: "string",
    placeholder: "URL",
    group: "HTTP",
    needs: "http",
    check: (text: string): string | undefined => checkStore(text),
    description:
      "Where several replicas keep what they share: redis://HOST:PORT, or rediss:// for TLS. Any of them can then continue what another began.",
  },
  storePassword: {
    env: "SUITE_STORE_PASSWORD",
    type: "string",
    secret: true,
    group: "HTTP",
    description: "The password that goes with it.",
  },
  insecureNoAuth: {
    flag: "--insecure-no-auth",
    env: "SUITE_INSECURE_NO_AUTH",
    type: "boolean",
    group: "Authorization",
    needs: "http",
    description: "Listen beyond this machine although anybody could then call.",
  },
  authIssuer: {
    flag: "--auth-issuer",
    env: "SUITE_AUTH_ISSUER",
    type: "string",
    placeholder: "URL",
    group: "Authorization",
    needs: "http",
    check: (text: string): string | undefined => checkUrl(text),
    description: "The authorization server whose access tokens are accepted.",
  },
  authResource: {
    flag: "--auth-resource",
    env: "SUITE_AUTH_RESOURCE",
    type: "string",
    placeholder: "URL",
    group: "Authorization",
    needs: "http",
    check: (text: string): string | undefined => checkUrl(text),
    description: "The URL of this server as its clients know it. On loopback it need not be given.",
  },
  authAudience: {
    flag: "--auth-audience",
    env: "SUITE_AUTH_AUDIENCE",
    type: "string",
    placeholder: "TEXT",
    group: "Authorization",
    needs: "http",
    description: "What access tokens for this server carry in aud, if not its URL.",
  },
  authIntrospectionEndpoint: {
    flag: "--auth-introspection-endpoint",
    env: "SUITE_AUTH_INTROSPECTION_ENDPOINT",
    type: "string",
    placeholder: "URL",
    group: "Authorization",
    needs: "http",
    check: (text: string): string | undefined => checkUrl(text),
    description: "Where to ask about each token, instead of reading it as a JWT.",
  },
  authIntrospectionClientId: {
    flag: "--auth-introspection-client-id",
    env: "SUITE_AUTH_INTROSPECTION_CLIENT_ID",
    type: "string",
    placeholder: "ID",
    group: "Authorization",
    needs: "authIntrospectionEndpoint",
    description: "The name to ask there with.",
  },
  authIntrospectionClientSecret: {
    env: "SUITE_AUTH_INTROSPECTION_CLIENT_SECRET",
    type: "string",
    secret: true,
    group: "Authorization",
    description: "The secret that goes with it.",
  },
  logLevel: {
    flag: "--log-level",
    env: "SUITE_LOG_LEVEL",
    type: "enum",
    values: ["debug", "info", "warning", "error", "off"],
    default: "info",
    placeholder: "LEVEL",
    group: "General",
    description: "The least of what is written to standard error: debug, info, warning, error or off.",
  },
  config: {
    flag: "--config",
    env: "SUITE_CONFIG",
    type: "string",
    placeholder: "FILE",
    group: "General",
    isCommand: true,
    description: "A JSON file with settings, by the names that --print-config shows.",
  },
  printConfig: {
    flag: "--print-config",
    type: "boolean",
    group: "General",
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
    group: "General",
    isCommand: true,
    description:
      "Print this command line as configuration for a host, and exit: claude-desktop, claude-code, vscode, cursor, windsurf, zed, gemini-cli, codex, opencode, cline, jetbrains, goose, lm-studio. With --http, for a server that runs by itself.",
  },
  hostCommand: {
    flag: "--host-command",
    type: "enum",
    values: ["npx", "node"],
    placeholder: "npx|node",
    group: "General",
    isCommand: true,
    needs: "printHostConfig",
    description:
      "How the host is to start it: npx gets the published package, node runs this very file. By default npx, unless this is a clone.",
  },
  doctor: {
    flag: "--doctor",
    type: "boolean",
    group: "General",
    isCommand: true,
    description: "Print what this server needs and what it found, and exit: with 69 if something is missing.",
  },
  json: {
    flag: "--json",
    type: "boolean",
    group: "General",
    isCommand: true,
    needs: ["printConfig", "doctor"],
    description: "Print as JSON.",
  },
  version: {
    flag: "--version",
    short: "-v",
    type: "boolean",
    group: "General",
    isCommand: true,
    description: "Print the version, and exit.",
  },
  help: {
    flag: "--help",
    short: "-h",
    type: "boolean",
    group: "General",
    isCommand: true,
    description: "Print this, and exit.",
  },
} as const;

/** What every server of the suite takes. A server's own table comes before it, and may replace entries by their key. */
export const standardOptions: StandardOptions = { ...contractOptions, ...generalOptions };

export type StandardOptions = typeof contractOptions & typeof generalOptions;
