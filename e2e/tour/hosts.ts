import { type HostId, readHostConfig } from "./host-config.ts";
import type { Screen } from "./screen.ts";
import { programOf } from "./visit.ts";
import type { TourServer } from "./tour-server.ts";

const SHOWN: readonly HostId[] = ["claude-desktop", "vscode", "claude-code"];

/** By the words of the host: servers by name, and in VS Code a list of what to ask for. */
type Settings = Readonly<Record<string, object>>;

interface Combined {
  readonly title: string;
  readonly where: string;
  readonly settings: Settings;
}

/** What the servers print for a host, as one configuration. */
function combine(servers: readonly TourServer[], host: HostId): Combined {
  const configs = servers.map((server) =>
    readHostConfig(programOf(server), host, (server.hostArgs ?? server.args)(process.cwd())),
  );
  const { title = "", where = "" } = configs[0] ?? {};
  return { title, where, settings: configs.map(({ text }) => JSON.parse(text) as Settings).reduce(merge) };
}

function merge(one: Settings, other: Settings): Settings {
  const merged = Object.entries(other).map(([key, value]) => {
    const known = one[key];
    return [key, Array.isArray(known) ? [...known, ...(value as unknown[])] : { ...known, ...value }];
  });
  return { ...one, ...(Object.fromEntries(merged) as Settings) };
}

/** Configuration to paste. */
export function showHosts(servers: readonly TourServer[], screen: Screen): void {
  for (const host of SHOWN) {
    const { title, where, settings } = combine(servers, host);
    screen.heading(title);
    screen.paragraph(where);
    screen.line();
    screen.verbatim(JSON.stringify(settings, null, 2));
  }
  screen.line();
  showMoreHosts(screen);
}

/** The most common notation alone, one line a server. */
export function showHost(servers: readonly TourServer[], screen: Screen): void {
  screen.paragraph(
    "Paste what you need into claude_desktop_config.json, ~/.cursor/mcp.json and others with mcpServers:",
  );
  screen.line();
  const { settings } = combine(servers, "claude-desktop");
  const entries = Object.entries(settings["mcpServers"] ?? {}).map(
    ([name, launch]) => `    "${name}": ${JSON.stringify(launch)}`,
  );
  screen.verbatim(`{\n  "mcpServers": {\n${entries.join(",\n")}\n  }\n}`);
  screen.line();
  showMoreHosts(screen);
}

const showMoreHosts = (screen: Screen): void =>
  screen.paragraph(
    "Directories are this one, and the database is in memory: put yours in their place. Every server prints the same for its own arguments and thirteen hosts: --print-host-config vscode, codex, zed, …",
  );
