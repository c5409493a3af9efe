import { callHttp, type HttpCallOptions, JSON_HEADERS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { serve } from "./serving.ts";
import { verify } from "./verify.ts";

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const post = (headers: Record<string, string> = {}): HttpCallOptions => ({
  method: "POST",
  headers: { ...JSON_HEADERS, ...headers },
  body: PING,
});

verify(
  ["http/origin-validated"],
  "refuses a foreign origin on every endpoint and method",
  async ({ served }) => {
    const { origin } = new URL(served.url);
    const paths = ["/mcp", "/sse", "/messages?session=x", "/healthz", "/nothing"];
    for (const path of paths) {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"]) {
        const headers = { ...JSON_HEADERS, origin: "https://evil.example.com" };
        const { status } = await callHttp(`${origin}${path}`, { method, headers });
        expect(status, `${method} ${path}`).toBe(403);
      }
    }
  },
  { serving: { sse: true } },
);

verify(
  ["http/origin-403"],
  "says 403 to a foreign origin, with an error about no request, and does nothing",
  async ({ open, served }) => {
    const wire = await open();
    const before = served.state.calls.length;
    const answer = await wire.send("tools/list", {}, { headers: { origin: "http://evil.example.com" } });
    expect(answer.status).toBe(403);
    expect(await answer.answer()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32600, message: "This origin is not allowed" },
    });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(served.state.calls).toHaveLength(before);
  },
);

describe("Host", () => {
  it.each([
    ["127.0.0.1", 200],
    ["localhost", 200],
    ["[::1]", 200],
    ["LocalHost", 200],
    ["localhost:65535", 200],
    ["[::1]:1", 200],
    ["evil.example.com", 403],
    ["evil.example.com:80", 403],
    ["localhost.", 403],
    ["localhost.evil.example.com", 403],
    ["127.0.0.1.evil.example.com", 403],
    ["127.0.0.1@evil.example.com", 403],
    ["evil.example.com@127.0.0.1", 403],
    ["user:secret@localhost", 403],
    ["localhost/evil", 403],
    ["localhost:x", 403],
    ["localhost:123456", 403],
    ["localhost:80:80", 403],
    ["localhost, evil.example.com", 403],
    ["127.1", 403],
    ["0.0.0.0", 403],
    ["2130706433", 403],
    ["[::]", 403],
    ["::1", 403],
    ["[::ffff:127.0.0.1]", 403],
    ["[evil.example.com]", 403],
    [" ", 403],
  ])("%s gets %i", async (host, status) => {
    const served = await serve();
    const { origin } = new URL(served.url);
    expect((await callHttp(`${origin}/healthz`, { headers: { host } })).status).toBe(status);
    // Without a session the protocol's own answer is 400: this one comes before it.
    expect((await callHttp(served.url, post({ host }))).status).toBe(status === 200 ? 400 : 403);
  });

  it("may be one that was allowed", async () => {
    const served = await serve({ allowedHosts: ["MCP.example.com"] });
    const { origin } = new URL(served.url);
    for (const host of ["mcp.example.com", "mcp.example.com:443", "MCP.EXAMPLE.COM"])
      expect((await callHttp(`${origin}/healthz`, { headers: { host } })).status, host).toBe(200);
    expect((await callHttp(`${origin}/healthz`, { headers: { host: "example.com" } })).status).toBe(403);
  });
});

describe("Origin", () => {
  it.each([
    ["http://127.0.0.1:PORT", 200],
    ["https://127.0.0.1:PORT", 200],
    ["https://app.example.com", 200],
    ["null", 403],
    ["http://127.0.0.1", 403],
    ["http://127.0.0.1:1", 403],
    ["http://localhost:PORT", 403],
    ["http://127.0.0.1:PORT.evil.example.com", 403],
    ["http://127.0.0.1:PORT@evil.example.com", 403],
    ["http://evil.example.com", 403],
    ["https://app.example.com.evil.example.com", 403],
    ["http://app.example.com", 403],
    ["https://app.example.com:8443", 403],
    ["file://", 403],
    ["chrome-extension://127.0.0.1:PORT", 403],
    ["", 403],
  ])("%s gets %i", async (pattern, status) => {
    const served = await serve({ allowedOrigins: ["https://app.example.com"] });
    const origin = pattern.replace("PORT", String(served.port));
    const answer = await callHttp(new URL("/healthz", served.url).href, { headers: { origin } });
    expect(answer.status).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBe(status === 200 ? origin : undefined);
  });
});

describe("a page of an allowed origin", () => {
  const origin = "https://app.example.com";

  it("may ask first, and send the headers of the protocol", async () => {
    const served = await serve({ allowedOrigins: [origin] });
    const answer = await callHttp(served.url, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,mcp-session-id,mcp-param-region,x-evil",
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers["access-control-allow-origin"]).toBe(origin);
    expect(answer.headers["access-control-allow-methods"]).toBe("GET, POST, DELETE, OPTIONS");
    const allowed = String(answer.headers["access-control-allow-headers"]).toLowerCase().split(/, */);
    expect(allowed.toSorted()).toEqual([
      "accept",
      "authorization",
      "content-type",
      "last-event-id",
      "mcp-method",
      "mcp-name",
      "mcp-param-region",
      "mcp-protocol-version",
      "mcp-session-id",
    ]);
    expect(answer.headers.vary).toBe("Origin");
  });

  it("may read the session's id", async () => {
    const served = await serve({ allowedOrigins: [origin] });
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const answer = await callHttp(served.url, { method: "POST", headers: { ...JSON_HEADERS, origin }, body });
    expect(answer.status).toBe(200);
    expect(answer.headers["mcp-session-id"]).toBeDefined();
    const exposed = String(answer.headers["access-control-expose-headers"]).split(/, */);
    expect(exposed).toEqual(["Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate"]);
  });
});
