import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { checkServer, type CheckReport } from "@suite/check";

import { PEER, preparePeer } from "../bench/sqlite/contenders.ts";
import { NETWORK } from "../support/network.ts";
import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";

const PATIENCE_MS = 300_000;
const BUILD_MS = 900_000;
/** Less than the ten seconds that a tool of one of them takes. */
const ANSWER_MS = 9000;

/** A server that nobody here wrote. */
export interface ReferenceServer {
  readonly package: string;
  readonly version: string;
  /** What keeps it within a folder of its own. */
  readonly env?: (folder: string) => readonly string[];
  readonly args?: (folder: string) => readonly string[];
  /** Whether all it can change is in that folder. */
  readonly callsAll: boolean;
}

/** The official ones that npm has and that are kept up, and others that many people use. */
export const REFERENCE_SERVERS: readonly ReferenceServer[] = [
  {
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    args: (folder) => [folder],
    callsAll: true,
  },
  {
    package: "@modelcontextprotocol/server-memory",
    version: "2026.8.31",
    env: (folder) => [`MEMORY_FILE_PATH=${join(folder, "memory.jsonl")}`],
    callsAll: true,
  },
  {
    package: "@modelcontextprotocol/server-everything",
    version: "2026.8.31",
    // One of its tools would download something.
    env: () => ["GZIP_ALLOWED_DOMAINS=none.invalid"],
    callsAll: true,
  },
  {
    package: "@modelcontextprotocol/server-sequential-thinking",
    version: "2026.8.31",
    callsAll: true,
  },
  {
    package: "@cyanheads/git-mcp-server",
    version: "2.15.3",
    callsAll: false,
  },
  {
    package: "mcp-server-sqlite-npx",
    version: "0.8.0",
    args: (folder) => [join(folder, "data.db")],
    callsAll: true,
  },
  {
    package: "@tokenizin/mcp-npx-fetch",
    version: "1.0.0",
    // It would fetch from the network.
    callsAll: false,
  },
  {
    package: "@notionhq/notion-mcp-server",
    version: "2.5.2",
    // Nothing listens there: no request leaves the machine.
    env: () => ["HTTPS_PROXY=http://127.0.0.1:9"],
    callsAll: false,
  },
  {
    package: "@playwright/mcp",
    version: "0.0.83",
    // Without a browser, wherever there is one.
    args: (folder) => ["--executable-path", join(folder, "none")],
    callsAll: false,
  },
];

const { devDependencies: installed } = JSON.parse(readFileSync(inRoot("e2e/package.json"), "utf8")) as {
  readonly devDependencies: { readonly [name: string]: string };
};
export const isInstalled = (server: ReferenceServer): boolean => installed[server.package] === server.version;

/** Where they are: npm installs those on which no other test depends, in a folder that is removed in the end. */
export async function prepareHomes(
  servers: readonly ReferenceServer[],
): Promise<(server: ReferenceServer) => string> {
  if (servers.some((server) => server.package === PEER && isInstalled(server)))
    await preparePeer(AbortSignal.timeout(BUILD_MS), console.log);
  const missing = servers.filter((server) => !isInstalled(server));
  const folder = missing.length > 0 ? installServers(missing) : "";
  return (server) => join(isInstalled(server) ? inRoot("e2e") : folder, "node_modules", server.package);
}

function installServers(servers: readonly ReferenceServer[]): string {
  const folder = createPlace();
  writeFileSync(join(folder, "package.json"), "{}");
  const wanted = servers.map(({ package: name, version }) => `${name}@${version}`);
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...wanted];
  execFileSync("npm", args, {
    cwd: folder,
    env: { ...process.env, ...NETWORK },
    stdio: ["ignore", "ignore", "inherit"],
    timeout: PATIENCE_MS,
  });
  return folder;
}

/** Every tool is called of those that keep to a folder. */
export function checkReference(server: ReferenceServer, home: string): Promise<CheckReport> {
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly bin: string | Readonly<Record<string, string>>;
  };
  const program = join(home, typeof bin === "string" ? bin : (Object.values(bin)[0] ?? ""));
  const folder = createPlace();
  const [env, args] = [server.env?.(folder) ?? [], server.args?.(folder) ?? []];
  const command = ["env", ...env, process.execPath, program, ...args];
  return checkServer({
    // Vitest's NODE_ENV keeps one of them running.
    place: { command, env: { ...process.env, NODE_ENV: undefined } },
    callsAll: server.callsAll,
    timeoutMs: PATIENCE_MS,
    patienceMs: ANSWER_MS,
  });
}
