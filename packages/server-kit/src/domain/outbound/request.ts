import type { StopSignal } from "../errors/stop-signal.ts";
import type { HeaderRecord } from "./headers.ts";
import type { Lookup } from "./lookup.ts";
import type { ProxyEnvironment } from "./proxies.ts";
import type { OutboundResponse } from "./response.ts";

/** One request with all its redirects, for a log. Queries are left out because they often hold secrets. */
export interface AuditLine {
  readonly time: string;
  readonly method: string;
  /** Without query and fragment. `finalUrl` is the last one after redirects. */
  readonly url: string;
  readonly finalUrl?: string;
  readonly status?: number;
  /** "ok", or the code of the fault. */
  readonly outcome: string;
  /** Size of the decoded body. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly redirects: number;
  /** IP address of the last connection; not known through a proxy. */
  readonly address?: string;
  readonly proxied?: true;
}

export const toAuditUrl = ({ origin, pathname }: URL): string => origin + pathname;

/** For `createOutbound`: the operator's choices, none of which a call can change. */
export interface OutboundOptions {
  readonly userAgent: string;
  /** Patterns for `parseHostPattern`. If any are given, all other hosts are refused. */
  readonly allowHosts?: readonly string[];
  readonly denyHosts?: readonly string[];
  /** Hosts that may have private addresses. Only from the operator, never from a call. */
  readonly allowPrivateHosts?: readonly string[];
  /** Used for all requests; the environment is ignored then. */
  readonly proxyUrl?: string;
  /** Where HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are looked up. */
  readonly environment?: ProxyEnvironment;
  /** Limit for a decoded body. */
  readonly maxBytes: number;
  /** For the whole request: queueing, resolving, redirects, and the body. */
  readonly timeoutMs: number;
  readonly perHost?: { readonly concurrency?: number; readonly minIntervalMs?: number };
  /** Concurrent requests to all hosts together. */
  readonly concurrency?: number;
  /** Headers sent only to this host, and only over https unless the host may be private. */
  readonly credentials?: readonly { readonly host: string; readonly headers: HeaderRecord }[];
  readonly audit?: (line: AuditLine) => void;
  readonly lookup?: Lookup;
}

/** One request. Its limits can only be stricter than those of `OutboundOptions`. */
export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: HeaderRecord;
  readonly body?: string | Uint8Array;
  readonly signal?: StopSignal;
  /** Lowers the limit in `OutboundOptions`; it cannot raise it. */
  readonly maxBytes?: number;
  /** Also only lowers the limit. Time spent waiting in the host's queue does not count. */
  readonly timeoutMs?: number;
  readonly redirect?: "follow" | "manual";
  /** "throw" (default): 429, and 503 with Retry-After, are thrown as `rate_limited`; a Retry-After holds back other requests to the host. */
  readonly rateLimits?: "throw" | "return";
  /** Called with each URL before it is requested, redirects included; throws to refuse it. */
  readonly checkHop?: (url: URL, signal: AbortSignal) => void | Promise<void>;
}

export type Send = (url: string | URL, request?: OutboundRequest) => Promise<OutboundResponse>;
