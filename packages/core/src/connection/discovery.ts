import type { Params } from "../jsonrpc/message.ts";
import type { Caching } from "../model/caching.ts";
import type { ServerCapabilities } from "../model/capabilities.ts";
import type { Dialect } from "./dialect.ts";

interface Discovered {
  /** Newest first. */
  readonly supportedVersions: readonly string[];
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly caching: Caching;
}

/** What `server/discover` is answered with (lifecycle#discovery). */
export const toDiscovery = (server: Discovered, dialect: Dialect): Params => ({
  supportedVersions: server.supportedVersions,
  capabilities: dialect.encodeCapabilities(server.capabilities),
  ...(server.instructions !== undefined && { instructions: server.instructions }),
  ...server.caching.lists,
});
