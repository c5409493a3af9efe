/** The only way to the network: every address is checked, every response limited. Independent of the protocol. */
export { createTooLarge } from "./domain/outbound/body.ts";
export { createResolver, type Lookup } from "./domain/outbound/lookup.ts";
export { createOutbound, type Outbound } from "./domain/outbound/outbound.ts";
export type { OutboundOptions, OutboundRequest } from "./domain/outbound/request.ts";
export type { AuditLine } from "./domain/outbound/request.ts";
export type { OutboundResponse } from "./domain/outbound/response.ts";
export type { OutboundHeaders } from "./domain/outbound/headers.ts";
export type { FetchLike, FetchLikeResponse } from "./domain/outbound/to-fetch.ts";
