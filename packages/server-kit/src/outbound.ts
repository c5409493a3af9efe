/** The only way to the network: every address is checked, every response limited. Independent of the protocol. */
export { createTooLarge } from "./outbound/body.ts";
export { createResolver, type Lookup } from "./outbound/lookup.ts";
export { createOutbound, type Outbound } from "./outbound/outbound.ts";
export type { OutboundOptions, OutboundRequest } from "./outbound/request.ts";
export type { AuditLine } from "./outbound/request.ts";
export type { OutboundResponse } from "./outbound/response.ts";
export type { OutboundHeaders } from "./outbound/headers.ts";
export type { FetchLike, FetchLikeResponse } from "./outbound/to-fetch.ts";
