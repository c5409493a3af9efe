import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";

import { Tasks } from "../../../src/connection/tasks.ts";
import { defineTool } from "../../../src/features/tool.ts";
import type { HttpOptions, HttpServing } from "../../../src/serve-http.ts";
import type { ReplicaPort } from "../../../src/replicas.ts";
import { CallerUsage } from "../../../src/transport/http/caller-usage.ts";
import { RateLimit } from "../../../src/transport/http/rate-limit.ts";
import { HttpSessions } from "../../../src/transport/http/sessions.ts";
import { settled } from "../../transcript.ts";
import { PostedSession, toModernPost, toPost } from "./posting.ts";
import { ask, connectTo, countConnections, listenerAt, serve } from "./serving.ts";
import { needs } from "../../../src/testing.ts";

/** One that several processes have, and that answers later. */
class DistantLimit extends RateLimit {
  isSlow = false;
  readonly waiting: (() => void)[] = [];

  /** From now on it is quick. */
  answer(): void {
    this.isSlow = false;
    for (const answer of this.waiting.splice(0)) answer();
  }

  override take(...args: Parameters<RateLimit["take"]>): Promise<number> {
    return new Promise((resolve) => {
      const answer = (): void => resolve(super.take(...args));
      if (this.isSlow) this.waiting.push(answer);
      else setTimeout(answer);
    });
  }
}

const withLimit = (limit: RateLimit): ReplicaPort => ({
  id: "one",
  createChanges: (server) => ({ announce: (change) => server.emit(change) }),
  createTasks: (limits) => new Tasks(limits, { announce: () => undefined }),
  createUsage: (limits) => new CallerUsage(limits),
  createRateLimit: () => limit,
  createSessions: (...parts) => new HttpSessions(...parts),
  close: async () => undefined,
});

const endless = defineTool({
  name: "endless",
  description: "Works until it is stopped.",
  run: async (_input, { signal }) => void (await once(signal, "abort")),
});

/** A call as it goes over the wire. */
function toCall(name: string, _meta: object = {}): string {
  const { headers, body } = toModernPost("tools/call", { name, _meta });
  const message = body as string;
  const lines = [...new Headers(headers)].map((line) => line.join(": "));
  const own = ["host: localhost", `content-length: ${message.length}`];
  return ["POST /mcp HTTP/1.1", ...own, ...lines, "", message].join("\r\n");
}

describe("what there is at a moment", () => {
  it("counts requests that wait for the one before them, until nobody waits any more", async () => {
    const serving = await serve({}, { tools: [endless] });
    const socket = connectTo(serving.port);
    for (let count = 0; count < 4; count += 1) socket.write(toCall("endless"));
    await expect.poll(() => serving.load.waitingRequests).toBe(3);
    socket.destroy();
    await expect.poll(() => serving.load.waitingRequests).toBe(0);
  });

  it("counts the bytes that a client has not read, and adds nothing to keep it alive", async () => {
    const length = 30 * 1024 * 1024;
    const talk = defineTool({
      name: "talk",
      description: "Says much.",
      async run(_input, { log, signal }) {
        log.info("x".repeat(length));
        await once(signal, "abort");
      },
    });
    const serving = await serve({ keepAliveMs: 1 }, { tools: [talk] });
    const socket = connectTo(serving.port).pause();
    const level = { "io.modelcontextprotocol/logLevel": "info" };
    socket.write(toCall("talk", level));
    await expect.poll(() => serving.load.unreadBytes).toBeGreaterThan(0);
    await settled();
    const { unreadBytes } = serving.load;
    expect(unreadBytes).toBeGreaterThan(0);
    expect(unreadBytes).toBeLessThanOrEqual(length + 1000);
    socket.destroy();
    await expect.poll(() => serving.load.unreadBytes).toBe(0);
  });
});

describe("what one client takes", () => {
  const LARGE = 8 * 1024 * 1024;
  const large = defineTool({ name: "large", description: "Says much.", run: () => "x".repeat(LARGE) });

  const serveLarge = (options: HttpOptions, limit?: RateLimit): Promise<HttpServing> =>
    serve(options, { tools: [large], ...(limit && { replica: withLimit(limit) }) });

  it("is no more for a body that comes byte by byte", async () => {
    const { port } = await serve({});
    const bodies = vi.spyOn(Buffer, "concat");
    onTestFinished(() => bodies.mockRestore());
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(20_000) });
    const socket = connectTo(port);
    const head = ["host: localhost", "content-type: application/json", "transfer-encoding: chunked"];
    const accept = "accept: application/json, text/event-stream";
    socket.write(["POST /mcp HTTP/1.1", ...head, accept, "", ""].join("\r\n"));
    socket.write(`${Array.from(message, (byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    // Read whole, and refused for what it says.
    expect(String(answer)).toContain("Mcp-Session-Id is missing");
    const most = Math.max(...bodies.mock.calls.map(([parts]) => parts.length));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(message.length / 20);
  });

  it("is given back by those who left while they were being counted", async () => {
    const limit = new DistantLimit(60);
    const serving = await serveLarge({ requestsPerMinute: 60, mostRequests: 1 }, limit);
    const listener = await listenerAt(serving.url);
    const others = await countConnections(listener);
    limit.isSlow = true;
    const socket = connectTo(serving.port);
    socket.write(toCall("large"));
    await expect.poll(() => limit.waiting.length).toBe(1);
    socket.destroy();
    await expect.poll(() => countConnections(listener)).toBe(others);
    limit.answer();
    await settled();
    expect(serving.load.requests).toBe(0);
    expect(await ask(serving.url, toModernPost("tools/list", {}))).toBe(200);
  });

  // Windows takes an answer of this size from the server before anybody reads it.
  needs(it, "small buffers of sockets")(
    "counts until the answer has been read, in a session as well",
    async () => {
      const serving = await serveLarge({ mostRequests: 2 });
      const send = (init: RequestInit): Promise<Response> => fetch(serving.url, init);
      const session = await PostedSession.open(send);
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "large" } });
      const { headers } = toPost(body, { "mcp-session-id": session.id });
      const lines = [...new Headers(headers), ["host", "localhost"], ["content-length", String(body.length)]];
      const post = ["POST /mcp HTTP/1.1", ...lines.map((line) => line.join(": ")), "", body].join("\r\n");
      const sockets = [connectTo(serving.port), connectTo(serving.port)];
      for (const socket of sockets) socket.pause().write(post);
      await expect.poll(() => serving.load.requests).toBe(2);
      await settled();
      expect((await session.request("ping")).status).toBe(503);
      for (const socket of sockets) socket.destroy();
      await expect.poll(() => serving.load.requests).toBe(0);
      expect((await session.request("ping")).status).toBe(200);
    },
  );

  it.each<[string, () => RateLimit | undefined]>([
    ["at hand", () => undefined],
    ["elsewhere", () => new DistantLimit(5)],
  ])("of a minute is counted message by message on a WebSocket: %s", async (_where, limit) => {
    const serving = await serveLarge({ requestsPerMinute: 5, websocket: true }, limit());
    const socket = new WebSocket(serving.url.replace("http:", "ws:"), "mcp");
    await once(socket, "open");
    const heard: { readonly id: number; readonly error?: { readonly message: string } }[] = [];
    socket.on("message", (data: Buffer) => heard.push(JSON.parse(String(data)) as (typeof heard)[number]));
    for (let id = 1; id <= 7; id += 1) {
      const { body } = toModernPost("tools/list", {});
      socket.send(JSON.stringify({ ...(JSON.parse(body as string) as object), id }));
    }
    await expect.poll(() => heard.length).toBe(7);
    expect(heard.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(heard.filter(({ error }) => error).map(({ id }) => id)).toEqual([6, 7]);
    expect(heard[6]?.error?.message).toMatch(/^Too many requests: at most 5 a minute\. Try again in \d+ s$/);
    socket.close();
  });
});
