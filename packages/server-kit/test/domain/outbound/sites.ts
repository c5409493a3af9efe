import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { gzipSync, brotliCompressSync } from "node:zlib";

import { afterAll, afterEach } from "vitest";

import type { Outbound, OutboundOptions } from "../../../src/outbound.ts";
import { openSite, reachSites, type Site } from "./web.ts";

const bomb = gzipSync(Buffer.alloc(20_000_000));

const answers: Record<string, RequestListener> = {
  "/": (_, response) => response.setHeader("X-Two", ["a", "b"]).end("hello"),
  "/gzip": (_, response) => response.setHeader("content-encoding", "gzip").end(gzipSync("packed")),
  "/twice": (_, response) =>
    response.setHeader("content-encoding", "gzip, br").end(brotliCompressSync(gzipSync("packed twice"))),
  "/thrice": (_, response) => response.setHeader("content-encoding", "gzip, gzip, gzip").end("x"),
  "/bomb": (_, response) => response.setHeader("content-encoding", "gzip").end(bomb),
  "/chain-bomb": (_, response) => response.setHeader("content-encoding", "gzip, gzip").end(gzipSync(bomb)),
  "/unpackable": (_, response) => response.setHeader("content-encoding", "gzip").end("not gzip at all"),
  "/strange": (_, response) => response.setHeader("content-encoding", "rot13").end("x"),
  "/large": (_, response) => response.end(Buffer.alloc(200_000)),
  "/drip": (_, response) => {
    const timer = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(timer));
  },
  "/silence": () => undefined,
  "/short": (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("only this");
    setTimeout(() => response.destroy(), 50);
  },
  "/headers": (_, response) => response.setHeader("x-long", "x".repeat(50_000)).end(),
  "/busy": (_, response) => response.writeHead(429, { "retry-after": "120" }).end("later"),
  "/closed": (_, response) => response.writeHead(429, { "retry-after": "86400" }).end(),
  "/down": (_, response) =>
    response.writeHead(503, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).end(),
  "/round": (_, response) => response.writeHead(302, { location: "/about" }).end(),
  "/about": (_, response) => response.writeHead(302, { location: "/round" }).end(),
  "/echo": (request, response) => void echo(request, response),
};

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method, headers } = request;
  response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }));
}

export interface Sites {
  /** Answers by its path, or leads to wherever `to` says. */
  readonly site: Site;
  /** Tells what it was asked. */
  readonly other: Site;
  /** May reach both; it is closed after the test. */
  readonly reach: (options?: Partial<OutboundOptions>) => ReturnType<typeof reachSites>;
  /** Where the site leads to the target. */
  readonly goTo: (target: string, status?: number) => string;
}

/** For the tests of one file. */
export async function useSites(): Promise<Sites> {
  const other = await openSite((request, response) => void echo(request, response));
  const site = await openSite((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    const to = url.searchParams.get("to");
    if (to === null) return answers[url.pathname]?.(request, response);
    response.writeHead(Number(url.searchParams.get("status") ?? 302), { location: to }).end("moved");
    return undefined;
  });
  const open: Outbound[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    site.seen.length = other.seen.length = 0;
  });
  afterAll(() => Promise.all([site.close(), other.close()]));
  return {
    site,
    other,
    reach(options) {
      const reached = reachSites([site, other], options);
      open.push(reached.outbound);
      return reached;
    },
    goTo: (target, status = 302) => `${site.origin}/go?status=${status}&to=${encodeURIComponent(target)}`,
  };
}
