import { fileURLToPath } from "node:url";

import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  type Revision,
} from "@suite/check/wires";
import { afterAll } from "vitest";

import { QUIET_API } from "../github/quiet-api.ts";
import { EVERYTHING, FETCH, FILESYSTEM, GIT, GITHUB, NOTES, SQLITE } from "../support/servers.ts";
import { RawServer, startServer } from "./raw-server.ts";

/** A folder to serve. */
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** The built servers that hostile clients are let loose on. */
export const TARGETS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: "notes", command: NOTES },
  { name: "everything", command: EVERYTHING },
  { name: "filesystem", command: [...FILESYSTEM, "--read-only", HERE] },
  { name: "sqlite", command: [...SQLITE, ":memory:"] },
  { name: "git", command: [...GIT, "--read-only", "--allow-dir", HERE] },
  { name: "fetch", command: FETCH },
  { name: "github", command: [...GITHUB, "--api-url", QUIET_API] },
];

/** Those whose lists are short: a client that does not read leaves megabytes of the others' unread, whatever they do. */
export const LEAN_TARGETS: typeof TARGETS = TARGETS.filter(({ command }) =>
  [NOTES, EVERYTHING].includes(command),
);

const CLIENT = { name: "hostile", version: "1" };

/** A server after the handshake of a legacy revision. */
export const startLegacy = (
  command: readonly string[],
  revision: Revision = "2025-11-25",
  capabilities: object = {},
): Promise<RawServer> => shakeHands(startServer(command), revision, capabilities);

/** The same, one for all tests of a group: what one of them has sent must not harm the next. */
export function shareLegacy(command: readonly string[]): () => Promise<RawServer> {
  let shared: Promise<RawServer> | undefined;
  afterAll(async () => (await shared)?.stop());
  return () => (shared ??= shakeHands(new RawServer(command), "2025-11-25", {}));
}

async function shakeHands(server: RawServer, revision: Revision, capabilities: object): Promise<RawServer> {
  await server.request("initialize", { protocolVersion: revision, capabilities, clientInfo: CLIENT });
  server.notify("notifications/initialized");
  return server;
}

/** What every modern request carries. */
export const modernMeta = (capabilities: object = {}): Record<string, unknown> => ({
  [META_PROTOCOL_VERSION]: "2026-07-28",
  [META_CLIENT_INFO]: CLIENT,
  [META_CLIENT_CAPABILITIES]: capabilities,
});
