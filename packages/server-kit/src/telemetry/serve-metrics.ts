import { createServer } from "node:http";

import type { Store } from "@suite/core";
import { type HttpServing, isLoopbackHost } from "@suite/core/http";

import { type Address, isLoopback } from "../options/address.ts";
import type { Gauge } from "./call-metrics.ts";

const TEXT = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
const IDLE_MS = 5000;

/** Offers `/metrics` at an address of its own, apart from where clients call. Gives the URL once it can be read there. */
export function serveMetrics(address: Address, render: () => Promise<string>): Promise<string> {
  const { host, port } = address;
  const isLocal = isLoopback(address);
  const http = createServer({ maxHeaderSize: 8192, requestTimeout: IDLE_MS }, (request, response) => {
    const isAsked = request.method === "GET" && request.url === "/metrics";
    // A web page may have its own name lead here (DNS rebinding).
    if (isLocal && !isLoopbackHost(request.headers.host)) response.writeHead(403).end();
    else if (!isAsked) response.writeHead(404).end();
    else
      render().then(
        (text) => response.writeHead(200, TEXT).end(text),
        () => response.writeHead(500).end(),
      );
  });
  // Nobody's reason to stay: the process ends when its clients are served.
  http.unref();
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      const bound = http.address();
      const at = typeof bound === "object" && bound ? bound.port : port;
      resolve(`http://${host.includes(":") ? `[${host}]` : host}:${at}/metrics`);
    });
  });
}

export const toGauges = ({ requests, sessions, streams }: HttpServing["load"]): Gauge[] => [
  {
    name: "mcp_server_http_requests",
    help: "HTTP requests that hold a place, streams included.",
    value: requests,
  },
  { name: "mcp_server_sessions", help: "Sessions of legacy clients.", value: sessions },
  { name: "mcp_server_streams", help: "Open streams.", value: streams },
  {
    name: "process_resident_memory_bytes",
    help: "Memory of the process.",
    value: process.memoryUsage.rss(),
  },
];

/** Asks the store for something that is not there. */
export async function timeStore(store: Store): Promise<Gauge[]> {
  const startedAt = performance.now();
  const isThere = await Promise.resolve(store.get("metrics")).then(
    () => 1,
    () => 0,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    { name: "mcp_server_store_up", help: "Whether the shared store answers.", value: isThere },
    { name: "mcp_server_store_seconds", help: "How long the shared store took to answer.", value: seconds },
  ];
}
