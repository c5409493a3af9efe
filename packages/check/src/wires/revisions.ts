/** The protocol revisions, oldest first. */
export type Revision = "2024-11-05" | "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

export const LEGACY: readonly Revision[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const REVISIONS: readonly Revision[] = [...LEGACY, "2026-07-28"];

/**
 * The oldest and the newest, for what the revision does not change. In the soak the bed calls every server's tools in
 * all five, and reads, lists, completes, subscribes and cancels in them.
 */
export const BOTH_ENDS: readonly Revision[] = ["2024-11-05", "2026-07-28"];

/** Without a handshake: every request says in `_meta` what initialize said once. */
export const isModern = (revision: Revision | undefined): boolean =>
  revision !== undefined && !LEGACY.includes(revision);

export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
