import { createServer, type ServerResponse } from "node:http";

import { type HttpServing, isLoopback, isLoopbackHost } from "@suite/core/http";

import { type Address, toUrl } from "../options/address.ts";
import { type Gauge, renderGauge } from "./prometheus.ts";
import type { Metrics } from "./start-telemetry.ts";

const TEXT = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
const IDLE_MS = 5000;

/** Serves `/metrics` at its own address, separate from the clients'. Resolves to the URL once it is listening. */
export function serveMetrics(address: Address, render: () => string): Promise<string> {
  const { host, port } = address;
  const isLocal = isLoopback(host);
  const http = createServer({ maxHeaderSize: 8192, requestTimeout: IDLE_MS }, (request, response) => {
    const isAsked = request.method === "GET" && request.url === "/metrics";
    // Against DNS rebinding: a web page's host name may resolve to this machine.
    if (isLocal && !isLoopbackHost(request.headers.host)) response.writeHead(403).end();
    else if (!isAsked) response.writeHead(404).end();
    else answer(response, render);
  });
  // Must not keep the process alive.
  http.unref();
  return new Promise((resolve, reject) => {
    // Not `once`: it may also fail to accept a connection later, which must not crash the server.
    http.on("error", reject);
    http.listen(port, host, () => {
      const bound = http.address();
      const at = typeof bound === "object" && bound ? bound.port : port;
      resolve(toUrl({ host, port: at }, "/metrics"));
    });
  });
}

function answer(response: ServerResponse, render: () => string): void {
  try {
    const text = render();
    response.writeHead(200, TEXT).end(text);
  } catch {
    // Reading the memory usage may fail if no descriptor is left: that must not crash the server.
    response.writeHead(500).end();
  }
}

export const renderMetrics = ({ calls, store }: Metrics, load: HttpServing["load"]): string =>
  [...calls.render(), ...store.render(), ...toGauges(load).flatMap(renderGauge), ""].join("\n");

const toGauges = (load: HttpServing["load"]): Gauge[] => [
  ["mcp_server_http_requests", "HTTP requests in progress, including streams.", load.requests],
  [
    "mcp_server_http_requests_waiting",
    "HTTP requests waiting for an earlier one on the same connection.",
    load.waitingRequests,
  ],
  ["mcp_server_sessions", "Sessions of legacy clients.", load.sessions],
  ["mcp_server_streams", "Open streams.", load.streams],
  ["mcp_server_streams_unread_bytes", "Bytes written to open streams but not yet sent.", load.unreadBytes],
  ["mcp_server_changes_waiting", "Changes not yet announced to other replicas.", load.waitingChanges],
  ["process_resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss()],
];
