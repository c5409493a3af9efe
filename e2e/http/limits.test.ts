import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { callHttp, HttpWire, JSON_HEADERS, within } from "@suite/check/wires";
import { describe, expect, it, onTestFinished } from "vitest";

import { serve } from "./serving.ts";

/** A connection on which anything can be said. */
function dial(port: number): { socket: Socket; heard: () => string; closed: Promise<void> } {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  onTestFinished(() => void socket.destroy());
  return { socket, heard: () => text, closed };
}

const bodyOf = (size: number): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "y".repeat(size) } });

describe("bodies", () => {
  it("have a limit, declared or not", async () => {
    const served = await serve({ largestBody: 10_000 });
    const wire = await HttpWire.open(served.url, "2025-11-25");
    const headers = { ...JSON_HEADERS, "mcp-session-id": wire.sessionId ?? "" };
    const post = (size: number, more = {}): Promise<{ status: number }> =>
      callHttp(served.url, { method: "POST", headers: { ...headers, ...more }, body: bodyOf(size) });
    expect((await post(9000)).status).toBe(200);
    expect((await post(11_000)).status).toBe(413);
    expect((await post(11_000, { "transfer-encoding": "chunked" })).status).toBe(413);
    expect((await post(5_000_000)).status).toBe(413);
    expect((await post(1)).status).toBe(200);
  });

  it("have a limit of objects too, long before the parser takes minutes", { timeout: 20_000 }, async () => {
    const served = await serve();
    const body = `[${"{},".repeat(20_000_000)}{}]`;
    const call = await callHttp(served.url, { method: "POST", headers: JSON_HEADERS, body });
    await call.ended;
    expect(call).toMatchObject({
      status: 400,
      text: expect.stringContaining("at most 1000000 lists and objects"),
    });
  });

  it("are not waited for when nobody is allowed to send them", async () => {
    const served = await serve();
    const { socket, heard, closed } = dial(served.port);
    socket.write("POST /mcp HTTP/1.1\r\nHost: evil.example.com\r\nContent-Length: 1000000\r\n\r\n{");
    while (!heard().includes("\r\n\r\n")) await pause(5);
    expect(heard()).toMatch(/^HTTP\/1.1 403 /);
    socket.end();
    await within(closed, "The connection stayed open");
  });

  it("that break off leave nothing behind", async () => {
    const served = await serve();
    const { socket, closed } = dial(served.port);
    const head = "Host: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 100";
    socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n\r\n{"jsonrpc"`);
    await pause(50);
    socket.destroy();
    await closed;
    expect((await callHttp(new URL("/healthz", served.url).href)).status).toBe(200);
    expect(served.state.calls).toEqual([]);
  });
});

describe("slow clients", () => {
  it("that never finish their headers are cut off", async () => {
    const served = await serve({ headersTimeoutMs: 300 });
    const { socket, heard, closed } = dial(served.port);
    socket.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
    const drip = setInterval(() => socket.write("X-Drip: 1\r\n"), 50);
    onTestFinished(() => clearInterval(drip));
    await within(closed, "The connection stayed open");
    expect(heard()).toMatch(/^HTTP\/1.1 408 /);
  });

  it("that send headers without end are cut off", async () => {
    const served = await serve();
    const { socket, heard, closed } = dial(served.port);
    socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`);
    await within(closed, "The connection stayed open");
    expect(heard()).toMatch(/^HTTP\/1.1 431 /);
  });

  it("do not hold up the others", async () => {
    const served = await serve();
    const slow = Array.from({ length: 50 }, () => dial(served.port));
    for (const { socket } of slow) socket.write("POST /mcp HTTP/1.1\r\nHost: loc");
    const wire = await HttpWire.open(served.url, "2025-11-25");
    expect((await wire.request("ping")).result).toEqual({});
  });
});

describe("quiet streams", () => {
  it("show that they are alive, in every way to listen", async () => {
    const served = await serve({ keepAliveMs: 50 });
    const legacy = await HttpWire.open(served.url, "2025-06-18");
    const modern = await HttpWire.open(served.url, "2026-07-28");
    const streams = [
      await legacy.get(),
      await modern.send("subscriptions/listen", { notifications: { toolsListChanged: true } }),
      await legacy.sendTool("progress", { steps: 2, pauseMs: 600_000 }, { meta: { progressToken: 1 } }),
      await modern.sendTool("progress", { steps: 2, pauseMs: 600_000 }, { meta: { progressToken: 1 } }),
    ];
    for (const stream of streams) {
      await expect.poll(() => stream.comments.length).toBeGreaterThanOrEqual(2);
      expect(stream.headers["x-accel-buffering"]).toBe("no");
    }
  });
});
