import {
  HEADER_MISMATCH,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  ProtocolError,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { TimeoutError, type PendingOptions } from "../jsonrpc/pending.ts";
import type { ClientCapabilities, Era, ServerCapabilities } from "../model/capabilities.ts";
import type { Implementation } from "../model/entities.ts";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
} from "../model/meta.ts";
import { dialectOf, SUPPORTED_VERSIONS } from "../revision/revisions.ts";
import type { Peer } from "./peer.ts";

/** What client and server agreed on. */
export interface Agreement {
  readonly revision: string;
  readonly era: Era;
  readonly server: {
    readonly info: Implementation | undefined;
    readonly capabilities: ServerCapabilities;
    readonly instructions: string | undefined;
  };
}

export interface OpeningOptions {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Pins the revision instead of negotiating the newest that both sides support. */
  readonly revision: string | undefined;
  /** How long a server may take to answer the opening if there is no fallback left to try. */
  readonly timeoutMs: number;
  /** How long progress may extend the time-out of later requests. */
  readonly longestMs: number;
  /** How long to wait for a sign that the server is modern; legacy ones may never answer. */
  readonly probeMs: number;
}

const isModern = (version: string): boolean => dialectOf(version)?.era === "modern";

const NEWEST_MODERN = SUPPORTED_VERSIONS.find(isModern) ?? "";
const NEWEST_LEGACY = SUPPORTED_VERSIONS.find((version) => !isModern(version)) ?? "";

/** Probes with `server/discover` and falls back to `initialize` (stdio#backward-compatibility). */
export async function openConnection(peer: Peer, options: OpeningOptions): Promise<Agreement> {
  const { revision } = options;
  if (revision !== undefined && !isModern(revision)) return initialize(peer, revision, options);
  const agreement = await discover(peer, revision ?? NEWEST_MODERN, options);
  if (agreement) return agreement;
  if (revision !== undefined) throw new Error(`The server does not speak revision ${revision}`);
  return initialize(peer, NEWEST_LEGACY, options);
}

/** Undefined when the server is a legacy one. */
async function discover(
  peer: Peer,
  version: string,
  options: OpeningOptions,
  mayRetry = true,
): Promise<Agreement | undefined> {
  const params = { _meta: toModernMeta(version, options) };
  const canFallBack = options.revision === undefined;
  const pending = withoutProgress(canFallBack ? options.probeMs : options.timeoutMs);
  try {
    const result = await peer.request("server/discover", () => params, pending);
    const supported = result["supportedVersions"];
    if (!Array.isArray(supported)) return undefined;
    return supported.includes(version) ? fromDiscover(version, result) : undefined;
  } catch (thrown) {
    if (thrown instanceof TimeoutError && canFallBack) return undefined;
    // Only a modern server sends these codes, and it has no handshake to fall back to.
    if (!(thrown instanceof ProtocolError) || MODERN_CODES.has(thrown.code)) throw thrown;
    if (thrown.code !== UNSUPPORTED_PROTOCOL_VERSION || !mayRetry) return undefined;
    const offered = modernVersionIn(thrown.data);
    return offered === undefined ? undefined : discover(peer, offered, options, false);
  }
}

/** No progress is requested, so none can extend the time-out (lifecycle#timeouts). */
const withoutProgress = (timeoutMs: number): PendingOptions => ({ timeoutMs, longestMs: timeoutMs });

const MODERN_CODES: ReadonlySet<number> = new Set([HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY]);

/** The first modern version offered by the server that this client supports. */
function modernVersionIn(data: unknown): string | undefined {
  const supported = isObject(data) ? data["supported"] : undefined;
  return Array.isArray(supported) ? supported.map(String).find(isModern) : undefined;
}

export const toModernMeta = (
  version: string,
  { info, capabilities }: Pick<OpeningOptions, "info" | "capabilities">,
): Params => {
  const { roots, ...rest } = capabilities;
  return {
    [META_PROTOCOL_VERSION]: version,
    [META_CLIENT_INFO]: info,
    // The modern era has no notification for changed roots, so `listChanged` is left out.
    [META_CLIENT_CAPABILITIES]: { ...rest, ...(roots && { roots: {} }) },
  };
};

function fromDiscover(revision: string, result: Params): Agreement {
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  return toAgreement(revision, "modern", { ...result, serverInfo: meta[META_SERVER_INFO] });
}

async function initialize(peer: Peer, version: string, options: OpeningOptions): Promise<Agreement> {
  const { info, timeoutMs } = options;
  // Of the extensions that this client has, only the modern era knows any.
  const { extensions: _, ...capabilities } = options.capabilities;
  const params = { protocolVersion: version, capabilities, clientInfo: info };
  const result = await peer.request("initialize", () => params, withoutProgress(timeoutMs));
  const revision = String(result["protocolVersion"]);
  if (dialectOf(revision)?.era !== "legacy") {
    throw new Error(`The server chose protocol revision ${revision}, which this client does not speak`);
  }
  peer.notify("notifications/initialized");
  return toAgreement(revision, "legacy", result);
}

function toAgreement(revision: string, era: Era, result: Params): Agreement {
  const { serverInfo, capabilities, instructions } = result;
  return {
    revision,
    era,
    server: {
      info: isObject(serverInfo) ? (serverInfo as unknown as Implementation) : undefined,
      capabilities: isObject(capabilities) ? capabilities : {},
      instructions: typeof instructions === "string" ? instructions : undefined,
    },
  };
}
