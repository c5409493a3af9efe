import type { Screen } from "./screen.ts";
import { programOf } from "./visit.ts";
import type { TourServer } from "./tour-server.ts";

interface Launch {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

interface Host {
  readonly name: string;
  readonly where: string;
  readonly toText: (launches: readonly Launch[]) => string;
}

const HOSTS: readonly Host[] = [
  {
    name: "Claude Desktop and Cursor",
    where: "claude_desktop_config.json (Settings > Developer > Edit Config); ~/.cursor/mcp.json",
    toText: (launches) => toJson("mcpServers", launches, {}),
  },
  {
    name: "VS Code",
    where: ".vscode/mcp.json",
    toText: (launches) => toJson("servers", launches, { type: "stdio" }),
  },
  {
    name: "Claude Code",
    where: "in a shell",
    toText: (launches) => launches.map(toCommandLine).join("\n"),
  },
];

/** Hosts start with neither our working directory nor, often, our PATH: all paths are full. */
const launchesOf = (servers: readonly TourServer[]): readonly Launch[] =>
  servers.map((server) => ({
    name: server.name,
    command: process.execPath,
    args: [programOf(server), ...(server.hostArgs ?? server.args)(process.cwd())],
  }));

/** Configuration to paste. */
export function showHosts(servers: readonly TourServer[], screen: Screen): void {
  for (const { name, where, toText } of HOSTS) {
    screen.heading(name);
    screen.paragraph(where);
    screen.line();
    screen.verbatim(toText(launchesOf(servers)));
  }
}

/** The most common notation alone, one line a server. */
export function showHost(servers: readonly TourServer[], screen: Screen): void {
  screen.paragraph(
    "Paste what you need into claude_desktop_config.json, ~/.cursor/mcp.json and others with mcpServers:",
  );
  screen.line();
  const entries = launchesOf(servers).map(
    ({ name, ...launch }) => `    "${name}": ${JSON.stringify(launch)}`,
  );
  screen.verbatim(`{\n  "mcpServers": {\n${entries.join(",\n")}\n  }\n}`);
  screen.line();
  screen.paragraph(
    "Every server prints the same for thirteen hosts: --print-host-config vscode, codex, zed, …",
  );
}

function toJson(key: string, launches: readonly Launch[], extras: object): string {
  const entries = launches.map(({ name, command, args }) => [name, { ...extras, command, args }]);
  return JSON.stringify({ [key]: Object.fromEntries(entries) as unknown }, null, 2);
}

const toCommandLine = ({ name, command, args }: Launch): string =>
  ["claude mcp add", name, "--", ...[command, ...args].map(quote)].join(" ");

const quote = (word: string): string =>
  /^[\w./:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
