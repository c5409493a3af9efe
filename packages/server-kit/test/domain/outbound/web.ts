import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import {
  type AuditLine,
  createOutbound,
  type Outbound,
  type OutboundOptions,
} from "../../../src/outbound.ts";

/** A web server on the loopback, and what it was asked. */
export interface Site {
  readonly port: number;
  readonly seen: IncomingMessage[];
  readonly origin: string;
  close(): Promise<void>;
}

export async function openSite(answer: RequestListener): Promise<Site> {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    seen,
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** May reach the sites, as the operator's decision. */
export function reachSites(
  sites: readonly Site[],
  options: Partial<OutboundOptions> = {},
): { readonly outbound: Outbound; readonly audit: AuditLine[] } {
  const audit: AuditLine[] = [];
  const outbound = createOutbound({
    userAgent: "test/1",
    maxBytes: 100_000,
    timeoutMs: 60_000,
    allowPrivateHosts: sites.map(({ port }) => `127.0.0.1:${port}`),
    audit: (line) => audit.push(line),
    ...options,
  });
  return { outbound, audit };
}
