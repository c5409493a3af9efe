import { describe, expect, it } from "vitest";

import { createFetchHandler } from "../../../src/serve-http.ts";
import { defineTool } from "../../../src/features/tool.ts";
import { createServer } from "../../../src/server.ts";
import { RateLimit } from "../../../src/transport/http/rate-limit.ts";
import { PostedSession, toModernPost, toPost } from "./posting.ts";
import { credulous } from "./serving.ts";

describe("a limit of messages over time", () => {
  it("is one for each caller", async () => {
    const server = createServer({ name: "t", version: "1", tools: [] });
    const handle = createFetchHandler(server, { authorizer: credulous, requestsPerMinute: 2 });
    const ask = (authorization: string): Promise<Response> =>
      handle(new Request("http://localhost/mcp", toModernPost("tools/list", {}, { authorization })));
    expect([(await ask("alice")).status, (await ask("alice")).status]).toEqual([200, 200]);
    const refused = await ask("alice");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(await refused.json()).toMatchObject({
      id: 1,
      error: { message: "Too many requests: at most 2 a minute. Try again in 30 s" },
    });
    expect((await ask("bob")).status).toBe(200);
  });

  it("counts notifications and answers, too", async () => {
    const handle = createFetchHandler(createServer({ name: "t", version: "1" }), { requestsPerMinute: 3 });
    const send = (init: RequestInit): Promise<Response> => handle(new Request("http://localhost/mcp", init));
    const session = await PostedSession.open(send);
    expect((await session.notify("notifications/progress", {})).status).toBe(202);
    expect((await session.post({ jsonrpc: "2.0", id: "unasked", result: {} })).status).toBe(202);
    expect((await session.post({ jsonrpc: "2.0", id: "unasked", result: {} })).status).toBe(429);
  });
});

describe("a batch", () => {
  it("counts as all of its messages, or waits for all of them", async () => {
    const limit = new RateLimit(60);
    expect(await limit.take("alice", 58)).toBe(0);
    const wait = await limit.take("alice", 4);
    expect(wait).toBeGreaterThan(1000);
    expect(wait).toBeLessThanOrEqual(2000);
    // It has taken nothing.
    expect(await limit.take("alice", 2)).toBe(0);
    expect(await limit.take("alice")).toBeGreaterThan(0);
    expect(await limit.take("bob", 61)).toBe(Infinity);
    expect(await limit.take("bob", 60)).toBe(0);
  });

  it("of more than a minute brings is told so, and nothing of it runs", async () => {
    let runs = 0;
    const count = defineTool({ name: "count", description: "…", run: () => String((runs += 1)) });
    const server = createServer({ name: "t", version: "1", state: {}, tools: [count] });
    const handle = createFetchHandler(server, { requestsPerMinute: 5 });
    const send = (body: unknown, session?: string): Promise<Response> => {
      const own = session === undefined ? {} : { "mcp-session-id": session };
      return handle(new Request("http://localhost/mcp", toPost(body, own)));
    };
    const info = { capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const params = { protocolVersion: "2025-03-26", ...info };
    const opened = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    const session = opened.headers.get("mcp-session-id") ?? "";
    const toBatch = (length: number): object[] =>
      Array.from({ length }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "count" },
      }));
    const refused = await send(toBatch(6), session);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(await refused.text()).toContain("at most 5 a minute. Send fewer at once");
    expect(runs).toBe(0);
    expect((await send(toBatch(4), session)).status).toBe(200);
    expect(runs).toBe(4);
    expect((await send(toBatch(1), session)).status).toBe(429);
  });
});
