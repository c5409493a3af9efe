import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { homeOf } from "../../support/installed.ts";
import type { Driven } from "../servers/driving.ts";
import { ours } from "../servers/contenders.ts";

/** Not a server at all. */
export const DIRECT = "better-sqlite3";
/** The least that a server can do. */
export const PLAIN = "SDK v1";
/** The reference server's tools on the official SDK and the sqlite3 package. */
export const PEER = "mcp-server-sqlite-npx";

const BUILD_MS = 900_000;

export async function prepareServers(
  file: string,
  signal: AbortSignal,
  showProgress: (line: string) => void,
): Promise<readonly Driven[]> {
  return [
    { name: PLAIN, script: fileURLToPath(new URL("servers/sdk-v1.js", import.meta.url)), args: [file] },
    { name: PEER, script: await preparePeer(signal, showProgress), args: [file] },
    ours("sqlite", [file]),
  ];
}

/** Builds what the peer runs on: two minutes that nobody should wait for who does not measure, so `npm install` leaves it out. */
export async function preparePeer(
  signal: AbortSignal,
  showProgress: (line: string) => void,
): Promise<string> {
  const peer = join(homeOf(PEER), "dist/index.js");
  const folder = dirname(createRequire(peer).resolve("sqlite3/package.json"));
  if (existsSync(join(folder, "build/Release/node_sqlite3.node"))) return peer;
  showProgress(`building what ${PEER} runs on, once: some minutes`);
  await promisify(execFile)("npm", ["run", "install"], { cwd: folder, signal, timeout: BUILD_MS });
  return peer;
}
