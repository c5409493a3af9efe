import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NETWORK } from "../support/network.ts";
import { createPlace } from "../support/place.ts";
import { REVISIONS } from "../support/revisions.ts";
import { type VisitOutcome, visitServer } from "./run.ts";
import type { BedSetting } from "./visit.ts";

const PATIENCE_MS = 300_000;

/** A server that demonstrates the protocol, made by those who specify it. */
export interface ReferenceServer {
  readonly package: string;
  readonly version: string;
  /** What keeps it within a folder of its own. */
  readonly env: (folder: string) => readonly string[];
  readonly args: (folder: string) => readonly string[];
}

const NOTHING = (): readonly string[] => [];

/** All that npm has and that are kept up. */
export const REFERENCE_SERVERS: readonly ReferenceServer[] = [
  {
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    env: NOTHING,
    args: (folder) => [folder],
  },
  {
    package: "@modelcontextprotocol/server-memory",
    version: "2026.8.31",
    env: (folder) => [`MEMORY_FILE_PATH=${join(folder, "memory.jsonl")}`],
    args: NOTHING,
  },
  {
    package: "@modelcontextprotocol/server-everything",
    version: "2026.8.31",
    // One of its tools would download something.
    env: () => ["GZIP_ALLOWED_DOMAINS=none.invalid"],
    args: NOTHING,
  },
  {
    package: "@modelcontextprotocol/server-sequential-thinking",
    version: "2026.8.31",
    env: NOTHING,
    args: NOTHING,
  },
];

/** Where npm has installed them, in a folder that is removed in the end. */
export function installServers(servers: readonly ReferenceServer[]): (name: string) => string {
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
  return (name) => join(folder, "node_modules", name);
}

/** Every tool is called: all a server can change is in its folder. */
export function visitReference(server: ReferenceServer, home: string): Promise<readonly VisitOutcome[]> {
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly bin: Readonly<Record<string, string>>;
  };
  const program = join(home, Object.values(bin)[0] ?? "");
  const setUp = async (): Promise<BedSetting> => {
    const folder = createPlace();
    const command = ["env", ...server.env(folder), process.execPath, program, ...server.args(folder)];
    return { place: { command }, folder };
  };
  return Promise.all(
    REVISIONS.map((revision) => visitServer(setUp, { revision, transport: "stdio", callsAll: true })),
  );
}
