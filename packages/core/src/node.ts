/** What needs Node: standard streams and byte streams. */
export { DeferredServer, type ServerOutline } from "./deferred-server.ts";
export { isLoopback } from "./values/loopback.ts";
export { suits, type ClientCapabilities } from "./model/capabilities.ts";
export type { Introduction } from "./revision/initialize.ts";
export { serveStdio, type StdioOptions } from "./serve-stdio.ts";
export type { Servable, Serving } from "./serve.ts";
export { StreamTransport, type StreamTransportOptions } from "./transport/stream.ts";
