/** What needs Node: standard streams and byte streams. */
export { serveStdio, type StdioOptions } from "./serve-stdio.ts";
export { StreamTransport, type StreamTransportOptions } from "./transport/stream.ts";
