import { networkInterfaces } from "node:os";
import { connect } from "node:net";

import { callHttp, HttpWire, JSON_HEADERS } from "@suite/check/wires";
import { createServer } from "@suite/core";
import { serveHttp, type Authorizer } from "@suite/core/http";
import { describe, expect, it } from "vitest";

import { serve } from "./serving.ts";
import { verify } from "./verify.ts";

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

verify(
  ["http/binds-localhost"],
  "listens on loopback alone unless it is told otherwise",
  async ({ served }) => {
    expect(new URL(served.url).hostname).toBe("127.0.0.1");
    const foreign = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === "IPv4" && !address.internal);
    // A machine may have no other address; then nobody else can call either.
    if (foreign) await expect(connects(foreign.address, served.port)).resolves.toBe(false);
    await expect(connects("127.0.0.1", served.port)).resolves.toBe(true);
  },
);

const connects = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on("connect", () => finish(true));
    socket.on("error", () => finish(false));
  });

describe("an address that others can reach", () => {
  it.each(["0.0.0.0", "::", "192.0.2.1", "example.com"])(
    "is refused without authorization: %s",
    async (host) => {
      const server = createServer({ name: "open", version: "1" });
      await expect(serveHttp(server, { host })).rejects.toThrow(`Refusing to listen on ${host}`);
    },
  );

  it("is taken when somebody accepts the risk", async () => {
    const served = await serve({ host: "0.0.0.0", insecureNoAuth: true });
    expect((await callHttp(`http://127.0.0.1:${served.port}/healthz`)).status).toBe(200);
  });
});

/** Knows one password. */
const bouncer: Authorizer = {
  serve: () => false,
  authorize: (exchange) =>
    Promise.resolve(
      exchange.header("authorization") === "Bearer open-sesame"
        ? { principal: "ali", scopes: ["read", "write", "admin"] }
        : { status: 401, headers: { "www-authenticate": "Bearer" }, message: "Who are you?" },
    ),
  refuseScope: () => ({ status: 403, headers: {}, message: "Not you" }),
};

verify(
  ["http/authentication-available"],
  "can demand authentication of every connection",
  async ({ served, revision }) => {
    const paths = revision === "2024-11-05" ? ["/sse", "/messages?session=x"] : ["/mcp"];
    for (const path of paths) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const options = method === "POST" ? { method, headers: JSON_HEADERS, body: PING } : { method };
        const { status, headers } = await callHttp(new URL(path, served.url).href, options);
        expect(status, `${method} ${path}`).toBe(401);
        expect(headers["www-authenticate"]).toBe("Bearer");
      }
    }
    const headers = { accept: "text/event-stream", authorization: "Bearer open-sesame" };
    const path = revision === "2024-11-05" ? "/sse" : "/mcp";
    expect((await callHttp(new URL(path, served.url).href, { headers })).status).not.toBe(401);
  },
  { serving: { authorizer: bouncer, sse: true } },
);

describe("what is not the protocol", () => {
  it("is a word about health, and nothing else", async () => {
    const served = await serve();
    const { origin } = new URL(served.url);
    const health = await callHttp(`${origin}/healthz`);
    expect(await health.ended).toBe(true);
    expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
    for (const path of ["/", "/mcp/", "/MCP", "/sse", "/messages", "/mcp%2f", "//mcp"])
      expect((await callHttp(`${origin}${path}`)).status, path).toBe(404);
    for (const method of ["PUT", "PATCH", "HEAD", "TRACE"]) {
      const { status, headers } = await callHttp(served.url, { method });
      expect([status, headers.allow], method).toEqual([405, "GET, POST, DELETE"]);
    }
  });

  it("can be put at another path", async () => {
    const served = await serve({ path: "/tools/mcp" });
    expect(served.url).toMatch(/\/tools\/mcp$/);
    const wire = await HttpWire.open(served.url, "2025-11-25");
    expect((await wire.request("ping")).result).toEqual({});
    expect((await callHttp(new URL("/mcp", served.url).href)).status).toBe(404);
  });
});
