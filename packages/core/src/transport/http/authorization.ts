import { isObject, type Params } from "../../jsonrpc/message.ts";
import type { Catalog } from "../../features/catalog.ts";
import type { Effects } from "../../features/tool.ts";
import type { Reservation } from "./capacity.ts";
import type { Headers, HttpExchange } from "./exchange.ts";

/** What a caller may do; each includes the ones before it. */
export type Scope = "read" | "write" | "admin";

/** An authorizer's no: the HTTP answer that the caller gets. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503;
  readonly headers: Headers;
  readonly message: string;
}

/** An authorizer's yes. */
export interface Caller {
  /** Who calls; `toPrincipal` makes one for a person who calls through several clients. */
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** In milliseconds since 1970. Streams that would never end by themselves are ended then. */
  readonly expiresAt?: number;
}

/** What is known about a request once it is admitted. */
export interface AdmittedRequest {
  /** To be sent with the answer. */
  readonly headers: Headers;
  readonly caller: Caller | undefined;
  readonly reservation: Reservation;
}

/** Decides about requests before anything is done for them. */
export interface Authorizer {
  authorize(exchange: Pick<HttpExchange, "header">): Promise<Caller | Refusal>;
  /** Tells a caller which scope it lacks, so that it can ask for it (step-up). */
  refuseScope(needed: Scope): Refusal;
  /** Answers a request outside the endpoint, such as one for metadata; false if it is not for the authorizer. */
  serve(exchange: HttpExchange, headers: Headers): boolean;
}

const ORDER: readonly Scope[] = ["read", "write", "admin"];

/** A tool that does not declare its effects may do anything, and needs `admin`. */
const SCOPE_OF: { readonly [E in Effects]: Scope } = { read: "read", write: "write", destructive: "admin" };

/** The scope that a message needs, or the highest one of a batch. Nested batches are refused later. */
export function scopeNeeded(message: unknown, catalog: Catalog): Scope {
  if (!Array.isArray(message)) return scopeOfOne(message, catalog);
  const ranks = message.map((item) => ORDER.indexOf(scopeOfOne(item, catalog)));
  return ORDER[ranks.reduce((most, rank) => Math.max(most, rank), 0)] ?? "admin";
}

/** Only tools do more than read. A call of an unknown tool needs no more either: it fails with any scope. */
function scopeOfOne(message: unknown, catalog: Catalog): Scope {
  if (!isObject(message) || message["method"] !== "tools/call") return "read";
  const params: Params = isObject(message["params"]) ? message["params"] : {};
  const tool = catalog.tools?.get(String(params["name"]))?.definition;
  if (!tool) return "read";
  return tool.effects === undefined ? "admin" : SCOPE_OF[tool.effects];
}

export const allows = (granted: readonly Scope[], needed: Scope): boolean =>
  granted.some((scope) => ORDER.indexOf(scope) >= ORDER.indexOf(needed));
