import type { StandardOptions } from "../options/standard-options.ts";

/** How a host reaches the server: by starting it, or at a URL. */
export interface Launch {
  /** The server's name in the host's list. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables whose values may be written into the file. */
  readonly env: { readonly [name: string]: string };
  /** Secret variables: not written into the file if the host can look them up itself. */
  readonly secrets: readonly string[];
  /** The URL it listens on, if the host does not start it. */
  readonly url?: string;
  readonly isOnWindows?: boolean;
}

export interface Host {
  readonly title: string;
  /** The file, as the host's own documentation names it. */
  readonly where: string;
  /** The same on Windows, where it is not below the user's own folder. */
  readonly whereOnWindows?: string;
  readonly toText: (launch: Launch) => string;
  /** How the host obtains a secret. Undefined: the user has to write it into the file. */
  readonly secrets?: "looked up" | "asked for";
  /** A link that adds the server with one click. Undefined if the host supports none for this launch. */
  readonly toLink?: (launch: Launch) => string | undefined;
}

type HostSettings = { readonly [key: string]: unknown };

/** With lists of texts on one line, as people write them. */
const toJson = (settings: HostSettings): string =>
  JSON.stringify(settings, undefined, 2).replaceAll(
    /\[\n\s+("[^\n]*"(?:,\n\s+"[^\n]*")*)\n\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/,\n\s+/g, ", ")}]`,
  );

/** On Windows, npx is a batch file, which only a shell can start. */
export const startByNpx = (
  args: readonly string[],
  isOnWindows = false,
): { readonly command: string; readonly args: readonly string[] } =>
  isOnWindows ? { command: "cmd", args: ["/c", "npx", ...args] } : { command: "npx", args };

/** Where to put the configuration. */
export const toPlace = ({ where, whereOnWindows }: Host, isOnWindows: boolean): string =>
  isOnWindows
    ? (whereOnWindows ??
      where.replaceAll(/~(\/\S+)/g, (_, path: string) => `%USERPROFILE%${path.replaceAll("/", "\\")}`))
    : where;

/** Environment variables, with secrets in the host's reference syntax. */
function toEnv({ env, secrets }: Launch, refer: (name: string) => string): HostSettings {
  return { ...env, ...Object.fromEntries(secrets.map((name) => [name, refer(name)])) };
}

/** For hosts that cannot look up variables: the user replaces it with the value. */
export const placeholderFor = (name: string): string => `<your ${name}>`;

function toLocal(launch: Launch, refer: (name: string) => string = placeholderFor): HostSettings {
  const { command, args } = launch;
  const env = toEnv(launch, refer);
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}

interface EntryShape {
  readonly key: string;
  readonly local?: HostSettings;
  readonly remote: (url: string, isOnWindows: boolean | undefined) => HostSettings;
  readonly refer?: (name: string) => string;
}

/** Most hosts use one JSON object of servers by name and differ only in the keys. */
const inJson =
  ({ key, local = {}, remote, refer }: EntryShape) =>
  (launch: Launch): string => {
    const { name, url, isOnWindows } = launch;
    const settings = url === undefined ? { ...local, ...toLocal(launch, refer) } : remote(url, isOnWindows);
    return toJson({ [key]: { [name]: settings } });
  };

/** VS Code asks for secrets when the server first starts, and stores them outside the file. */
function toVsCodeParts(launch: Launch): {
  readonly inputs: readonly HostSettings[];
  readonly server: HostSettings;
} {
  const { url, secrets } = launch;
  if (url !== undefined) return { inputs: [], server: { type: "http", url } };
  return {
    inputs: secrets.map((id) => ({ type: "promptString", id, description: id, password: true })),
    server: { type: "stdio", ...toLocal(launch, (id) => `\${input:${id}}`) },
  };
}

function toVsCode(launch: Launch): string {
  const { inputs, server } = toVsCodeParts(launch);
  return toJson({ ...(inputs.length > 0 && { inputs }), servers: { [launch.name]: server } });
}

function toVsCodeLink(launch: Launch): string {
  const { inputs, server } = toVsCodeParts(launch);
  return toLink("https://insiders.vscode.dev/redirect/mcp/install", [
    ["name", launch.name],
    ...(inputs.length > 0 ? [["inputs", JSON.stringify(inputs)] as const] : []),
    ["config", JSON.stringify(server)],
  ]);
}

const toLink = (base: string, query: readonly (readonly [string, string])[]): string =>
  `${base}?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;

/** A JSON string is valid in TOML and YAML, except for some control characters and line separators that JSON does not escape. */
const quote = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function toToml(launch: Launch): string {
  const { name, url, command, args } = launch;
  const table = `mcp_servers.${/^[\w-]+$/.test(name) ? name : quote(name)}`;
  if (url !== undefined) return `[${table}]\nurl = ${quote(url)}`;
  const words = args.map(quote).join(", ");
  const lines = [`[${table}]`, `command = ${quote(command)}`, `args = [${words}]`];
  const env = Object.entries(toEnv(launch, placeholderFor)).map(([key, value]) => `${key} = ${quote(value)}`);
  return [...lines, ...(env.length > 0 ? ["", `[${table}.env]`, ...env] : [])].join("\n");
}

/** How long Goose waits for an answer. */
const GOOSE_SECONDS = 300;

function toYaml(launch: Launch): string {
  const { name, url, command, args } = launch;
  const how: HostSettings =
    url === undefined
      ? { type: "stdio", cmd: command, args, envs: toEnv(launch, placeholderFor) }
      : { type: "streamable_http", uri: url };
  const settings = { name, enabled: true, timeout: GOOSE_SECONDS, ...how };
  const lines = Object.entries(settings).map(([key, value]) => `    ${key}: ${quote(value)}`);
  return ["extensions:", `  ${quote(name)}:`, ...lines].join("\n");
}

function toOpencode(launch: Launch): string {
  const { name, url, command, args } = launch;
  const environment = toEnv(launch, (variable) => `{env:${variable}}`);
  const server =
    url === undefined
      ? { type: "local", command: [command, ...args], environment, enabled: true }
      : { type: "remote", url, enabled: true };
  return toJson({ $schema: "https://opencode.ai/config.json", mcp: { [name]: server } });
}

/** Secrets are placeholders: a link must not contain them and cannot refer to variables. */
const toBase64Link =
  (base: string) =>
  (launch: Launch): string => {
    const settings = launch.url === undefined ? toLocal(launch) : { url: launch.url };
    const config = Buffer.from(JSON.stringify(settings)).toString("base64");
    return toLink(base, [
      ["name", launch.name],
      ["config", config],
    ]);
  };

/** From a link, Goose starts only a few known programs. It asks for the variables itself. */
function toGooseLink({ name, url, command, args, env, secrets }: Launch): string | undefined {
  const [program = "", ...words] = [command, ...args].filter(
    (word, index) => index > 1 || !/^(?:cmd|\/c)$/.test(word),
  );
  if (url === undefined && program !== "npx") return undefined;
  const local = [["cmd", program] as const, ...words.map((word) => ["arg", word] as const)];
  const variables = [
    ...Object.entries(env),
    ...secrets.map((secret) => [secret, placeholderFor(secret)] as const),
  ];
  return toLink("goose://extension", [
    ...(url === undefined
      ? local
      : ([
          ["url", url],
          ["type", "streamable_http"],
        ] as const)),
    ["timeout", String(GOOSE_SECONDS)],
    ["id", name],
    ["name", name],
    ["description", `The ${name} server`],
    ...(url === undefined ? variables : []).map(([key, value]) => ["env", `${key}=${value}`] as const),
  ]);
}

const referToEnv = (name: string): string => `\${env:${name}}`;
const withUrl = (url: string): HostSettings => ({ url });

type HostId = StandardOptions["printHostConfig"]["values"][number];

export const HOSTS: { readonly [Id in HostId]: Host } = {
  "claude-desktop": {
    title: "Claude Desktop",
    where: "claude_desktop_config.json (Settings > Developer > Edit Config)",
    whereOnWindows: String.raw`%APPDATA%\Claude\claude_desktop_config.json (Settings > Developer > Edit Config)`,
    // It takes remote servers as connectors only; this bridge is what its own documentation suggests for a file.
    toText: inJson({
      key: "mcpServers",
      remote: (url, isOnWindows) => startByNpx(["-y", "mcp-remote", url], isOnWindows),
    }),
  },
  "claude-code": {
    title: "Claude Code",
    where: ".mcp.json in the project",
    toText: inJson({
      key: "mcpServers",
      local: { type: "stdio" },
      remote: (url) => ({ type: "http", url }),
      refer: (name) => `\${${name}}`,
    }),
    secrets: "looked up",
  },
  vscode: {
    title: "VS Code",
    where: ".vscode/mcp.json",
    toText: toVsCode,
    secrets: "asked for",
    toLink: toVsCodeLink,
  },
  cursor: {
    title: "Cursor",
    where: "~/.cursor/mcp.json, or .cursor/mcp.json in the project",
    toText: inJson({ key: "mcpServers", remote: withUrl, refer: referToEnv }),
    secrets: "looked up",
    toLink: toBase64Link("https://cursor.com/en/install-mcp"),
  },
  windsurf: {
    title: "Windsurf",
    where: "~/.codeium/windsurf/mcp_config.json",
    toText: inJson({ key: "mcpServers", remote: (serverUrl) => ({ serverUrl }), refer: referToEnv }),
    secrets: "looked up",
  },
  zed: {
    title: "Zed",
    where: "settings.json",
    whereOnWindows: String.raw`%APPDATA%\Zed\settings.json`,
    toText: inJson({ key: "context_servers", remote: withUrl }),
  },
  "gemini-cli": {
    title: "Gemini CLI",
    where: "~/.gemini/settings.json, or .gemini/settings.json in the project",
    toText: inJson({
      key: "mcpServers",
      remote: (httpUrl) => ({ httpUrl }),
      refer: (name) => `$${name}`,
    }),
    secrets: "looked up",
  },
  codex: { title: "Codex", where: "~/.codex/config.toml", toText: toToml },
  opencode: { title: "opencode", where: "opencode.json", toText: toOpencode, secrets: "looked up" },
  cline: {
    title: "Cline",
    where: "cline_mcp_settings.json",
    toText: inJson({ key: "mcpServers", remote: (url) => ({ type: "streamableHttp", url }) }),
  },
  jetbrains: {
    title: "JetBrains AI Assistant",
    where: "Settings > Tools > AI Assistant > Model Context Protocol",
    toText: inJson({ key: "mcpServers", remote: withUrl }),
  },
  goose: {
    title: "Goose",
    where: "~/.config/goose/config.yaml",
    whereOnWindows: String.raw`%APPDATA%\Block\goose\config\config.yaml`,
    toText: toYaml,
    toLink: toGooseLink,
  },
  "lm-studio": {
    title: "LM Studio",
    where: "mcp.json (Program > Install > Edit mcp.json)",
    toText: inJson({ key: "mcpServers", remote: withUrl }),
    toLink: toBase64Link("https://lmstudio.ai/install-mcp"),
  },
};
