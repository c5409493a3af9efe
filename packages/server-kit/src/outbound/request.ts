import type { StopSignal } from "../processes/stop-signal.ts";
import type { HeaderRecord } from "./headers.ts";
import type { Lookup } from "./lookup.ts";
import type { ProxyEnvironment } from "./proxies.ts";
import type { OutboundResponse } from "./response.ts";

/** One request with all its hops, for a log. The query is left out: it is where secrets are put. */
export interface AuditLine {
  readonly time: string;
  readonly method: string;
  /** Without query and fragment. Where redirects led is in `finalUrl`. */
  readonly url: string;
  readonly finalUrl?: string;
  readonly status?: number;
  /** "ok", or the code of the fault. */
  readonly outcome: string;
  /** Decoded. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly redirects: number;
  /** Where the last connection went; through a proxy, that is the proxy's business. */
  readonly address?: string;
  readonly proxied?: true;
}

export const toAuditUrl = ({ origin, pathname }: URL): string => origin + pathname;

export interface OutboundOptions {
  readonly userAgent: string;
  /** Patterns as of `parseHostPattern`. When any are given, nothing else is reached. */
  readonly allowHosts?: readonly string[];
  readonly denyHosts?: readonly string[];
  /** Hosts that may have private addresses. Only from the operator, never from a call. */
  readonly allowPrivateHosts?: readonly string[];
  /** For everything, instead of what the environment says. */
  readonly proxyUrl?: string;
  /** Where HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are looked up. */
  readonly environment?: ProxyEnvironment;
  /** Of a decoded body. */
  readonly maxBytes: number;
  /** For all of a request: waiting, resolving, redirects, the last byte of the body. */
  readonly timeoutMs: number;
  readonly maxRedirects?: number;
  readonly perHost?: { readonly concurrency?: number; readonly minIntervalMs?: number };
  /** Over all hosts. */
  readonly concurrency?: number;
  /** Headers that only this host gets, and only over https unless the host may be private. */
  readonly credentials?: readonly { readonly host: string; readonly headers: HeaderRecord }[];
  readonly audit?: (line: AuditLine) => void;
  readonly lookup?: Lookup;
}

export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: HeaderRecord;
  readonly body?: string | Uint8Array;
  readonly signal?: StopSignal;
  /** Less than the server's own. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly redirect?: "follow" | "manual";
  /** 429, and 503 with Retry-After, are thrown as `rate_limited` and keep others from the host too, unless returned. */
  readonly rateLimits?: "throw" | "return";
  /** Asked about each URL on the way before it is requested; throws to refuse it. */
  readonly checkHop?: (url: URL, signal: AbortSignal) => void | Promise<void>;
}

export type Send = (url: string | URL, request?: OutboundRequest) => Promise<OutboundResponse>;
