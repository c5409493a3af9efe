/** HTTP: Streamable HTTP for both eras on node:http, or as a Fetch handler, and the transport of 2024-11-05. */
export {
  createFetchHandler,
  serveHttp,
  type FetchHandler,
  type FetchOptions,
  type HttpOptions,
  type HttpServing,
} from "./serve-http.ts";
export type { Authorizer, Caller, Refusal, Scope } from "./transport/http/authorization.ts";
export type { CallerLimits } from "./transport/http/caller-usage.ts";
export { isLoopback } from "./values/loopback.ts";
export { toPrincipal } from "./values/principal.ts";
export { isLoopbackHost } from "./transport/http/guard.ts";
export type { Headers, HttpExchange } from "./transport/http/exchange.ts";
